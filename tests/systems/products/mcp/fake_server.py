"""An MCP server of one list, and its bad sisters: `fake_server.py [MODE]`. No SDK, so that it can break the rules."""

import json
import sys
import time
from typing import Any

MODE = sys.argv[1] if len(sys.argv) > 1 else "good"
TEXTS: list[str] = []
TOOLS = ["keep", "find"] if MODE == "other-tools" else ["create_entities", "search_nodes"]


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        version = "1999-01-01" if MODE == "other-version" else "2025-06-18"
        return {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}
    return call(params["name"], params.get("arguments", {}))


def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if MODE == "dies":
        sys.stderr.write("out of memory\n")
        sys.exit(3)
    if MODE == "blocks":
        time.sleep(60)
    if MODE == "declines" and "secret" in str(arguments):
        return {"content": [{"type": "text", "text": "I keep no secrets"}], "isError": True}
    if tool in {"create_entities", "keep"}:
        TEXTS.extend(arguments["entities"][0]["observations"] if "entities" in arguments else [arguments["text"]])
        return {"content": [{"type": "text", "text": "stored"}]}
    found = [text for text in TEXTS if arguments["query"].lower() in text.lower()]
    if MODE == "other-answer":
        return {"content": [{"type": "text", "text": json.dumps({"things": found})}]}
    if tool == "find":
        return {"content": [{"type": "text", "text": text} for text in found]}
    entities = [{"name": "x", "entityType": "memory", "observations": [text]} for text in found]
    return {"content": [{"type": "text", "text": json.dumps({"entities": entities})}]}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params") or {})
        if MODE == "garbage" and message["method"] == "tools/call":
            sys.stdout.write("%%% all is well %%%\n")
        else:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
        sys.stdout.flush()
