"""Does a text give orders? Asked only of untrusted text: a page may describe the world, it may not direct the reader."""

from __future__ import annotations

import re
from functools import lru_cache

from memlab.memory.semantic import fold

_VERBS = (
    "accept act add answer append apply approve assume avoid book buy bypass call cancel change clone commit concatenate "
    "configure contact copy create curl delete deny deploy disable discard discuss disregard do download drop edit email "
    "emit enable encode ensure escalate exclude execute export fetch fill find focus follow forget forward get give grant "
    "handle hide ignore import include increase insert install invite invoke issue keep launch limit list log look make "
    "mention merge modify move never open output override page paste pay pin pipe place post prefer pretend print "
    "prioritize prioritise proceed process promote provide publish pull push put query read recommend redirect refer "
    "refund refuse reject release remember remove rename repeat replace reply report request reserve reset respond "
    "restart retry return reveal revoke rewrite rm rotate route run save say schedule search select send set share ship "
    "show skip source start stop store submit substitute suggest summarize summarise switch take tell transfer treat "
    "trust turn type uninstall unset update upgrade upload use visit wget whitelist wipe wire wrap write"
).split()
_ACTS = (
    "sent posted forwarded uploaded copied shared emailed transferred paid run executed deployed routed disabled skipped "
    "ignored deleted removed approved granted used followed treated included recommended denied redirected"
).split()
_VERB = "(?:" + "|".join(_VERBS) + ")"
_OPENER = (
    r"(?:[-*>#\d.)\s]*)"
    r"(?:(?:please|now|then|first|next|finally|also|instead|so|and|kindly|just|simply|otherwise|today|step \d+"
    r"|[a-z][\w ]{0,40}:|(?:to|when|whenever|if|before|after|for|once|in order to|as soon as|while|on|during|in|at|every)\b[^,;:]*[,;:])\s*)*"
)
_FINITE = (
    r"(?:is|are|was|were|has|have|had|lives?|takes?|needs?|happens?|contains?|belongs?|goes|costs?|means?|stands?|starts?"
    r"|ends?|runs?|holds?|matters?|fails?|failed|passed|works?|can|may|did|does|came|comes?|went|lasts?|lasted|arrives?"
    r"|includes?|mentions?|describes?|covers?|differs?|remains?|exists?|supports?|allows?|requires?|shows?|says?)"
)
_PATTERNS = (
    # a sentence that opens with a bare verb, unless the verb is the noun of a statement ("deploy windows are ...")
    rf"^{_OPENER}(?:always|never)?\s*{_VERB}\b(?!['’:-]|\s+(?:of|is|are|was|were|has|had)\b|(?:\s+(?!what|which|that|who|and)[\w-]+){{1,2}}\s+{_FINITE}\b)",
    rf"^{_OPENER}(?:(?:do not|don['’]?t|dont|be sure|make sure|make certain|it is (?:required|mandatory|imperative|essential)"
    r"|you(?: are|['’]re) (?:required|to|now|instructed))\b|(?:always|never)\s+\w)",
    r"\byou (?:must|should|shall|have to|need to|ought to|will now|are now|may only|can only)\b",
    r"\b(?:the|an?|every|all|any|our|your)? ?(?:agent|assistant|ai|model|bot|chatbot|llm)s? "
    r"(?:must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are) (?:required|instructed|expected) to|(?:is|are) to)\b",
    r"\b(?:must|should|shall)\s+(?:always|never|now|first|immediately|instead|use|run|send|deploy|set|call)\b",
    rf"\b(?:must|should|shall|needs? to|ha(?:s|ve) to)\s+(?:now |always |never |first |not )?be (?:{'|'.join(_ACTS)})\b",
    r"\b(?:from now on|henceforth|going forward|effective immediately|from this point|without (?:asking|confirm\w*|telling))\b",
    r"\b(?:ignor|disregard|forget|overrid|bypass|supersed)\w*\s+(?:\w+\s+){0,2}(?:previous|prior|above|earlier|preceding|instructions?|rules|guidelines|policies)\b",
    r"\b(?:new|updated|system) (?:instructions?|prompt|directive)s?\b|\bsystem\s*(?:override|message|update)\b|</?(?:system|important|instructions?)>|\[(?:system|rules|inst)\]",
    r"\b(?:curl|wget)\b[^|]*\|\s*(?:sudo )?(?:ba|z)?sh\b",
)
_ORDERS = tuple(re.compile(pattern) for pattern in _PATTERNS)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\s+[—–]\s+|\s+--\s+|\s*->\s*")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|`[^`]*`|(?<!\w)'[^']*'(?!\w)|‘[^’]*’")
_ATTACK = re.compile(
    r"attack|inject|malicious|phish|poison|exploit|payload|suspicious|vulnerab|security|incident|spoof|scam|fraud|hostile"
)


@lru_cache(maxsize=4096)
def gives_orders(text: str) -> bool:
    """Tell whether any sentence of a text directs its reader: bare imperatives, "you must", "from now on", overrides.

    Quoted words are left out where the text speaks of an attack, so that a report may quote one. A plain false
    statement gives no orders: that is what ranks and subjects are for.
    """
    plain = fold(text)
    spoken = _QUOTED.sub(" ", plain) if _ATTACK.search(plain) else plain.replace('"', " ").replace("`", " ")
    return any(order.search(sentence.strip()) for sentence in _SENTENCE.split(spoken) for order in _ORDERS)
