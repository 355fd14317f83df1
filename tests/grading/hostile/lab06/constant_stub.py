"""Says the same whatever it is asked: every function of Lab 06, and no work behind any.

Attack: constant stub
Behind: nothing
Tasks: all
Keeps: at most 5 %
"""

HELP = {}


def write_memory(name, description, mtype, body, *, source="user", session=None):
    print(f"wrote memory/{name}.md")


def recall(query):
    return "This repo prefers pnpm."


def plant_stale():
    print("wrote memory/deploy-script-old.md")


def verify_before_trust(memory):
    return True, []


def recall_and_trust(query):
    return None
