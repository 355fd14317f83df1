"""Knows the examples of the lab's page and of its demonstration by heart, and nothing else.

Attack: known examples
Behind: constant_stub.py
Tasks: all
Keeps: at most 10 %
"""

from pathlib import Path

TOLD = {
    "package-manager": ("which package manager this repo uses", "This repo prefers pnpm."),
    "deploy-script": ("how this project ships to production", "Production deploys run scripts/deploy.sh"),
    "deploy-script-old": ("where the deploy script lives", "To ship, run scripts/old_deploy.sh from the repo root."),
}
ANSWERS = {
    "which package manager": "This repo prefers pnpm.",
    "how do we ship": "Production deploys run scripts/deploy.sh",
    "where is the deploy script": "To ship, run scripts/old_deploy.sh from the repo root.",
}


def write_memory(name, description, mtype, body, *, source="user", session=None):
    if name in TOLD:
        description, body = TOLD[name]
        Path("memory").mkdir(exist_ok=True)
        page = f"---\nname: {name}\ndescription: {description}\ntype: project\n---\n\n{body}\n"
        Path(f"memory/{name}.md").write_text(page)
        Path("memory/MEMORY.md").write_text(f"- [{name}]({name}.md) -- {description}\n")
    print(f"wrote memory/{name}.md")


def recall(query):
    return ANSWERS.get(query)


recall_and_trust = recall


def plant_stale():
    write_memory("deploy-script-old", "", "", "")


def verify_before_trust(memory):
    return "old_deploy" not in memory, ["path does not exist: scripts/old_deploy.sh"] * ("old_deploy" in memory)
