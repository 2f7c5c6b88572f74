"""A program in the place of Codex: says its version, and which hash each hook has."""

import os
import sys
from pathlib import Path

_PROGRAM = f"""#!{sys.executable}
import hashlib, json, os, re, sys

if sys.argv[1:] == ["--version"]:
    print("codex-cli 0.166.0")
    sys.exit()
file = os.path.join(os.environ["CODEX_HOME"], "hooks.json")
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        print(json.dumps({{"id": asked["id"], "result": {{}}}}), flush=True)
        print(json.dumps({{"method": "something/else", "params": {{}}}}), flush=True)
    if asked.get("method") == "hooks/list":
        found = []
        for event, groups in json.load(open(file))["hooks"].items():
            name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
            for group, row in enumerate(groups):
                for place, hook in enumerate(row["hooks"]):
                    key = f"{{file}}:{{name}}:{{group}}:{{place}}"
                    text = json.dumps(hook, sort_keys=True).encode()
                    digest = "sha256:" + hashlib.sha256(text).hexdigest()
                    found.append({{"key": key, "currentHash": digest}})
        data = [{{"cwd": os.getcwd(), "hooks": found}}]
        print(json.dumps({{"id": asked["id"], "result": {{"data": data}}}}), flush=True)
"""


def codex_in(folder: Path, text: str = _PROGRAM) -> dict[str, str]:
    """Puts it there; the environment of somebody who finds it."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "codex"
    program.write_text(text)
    program.chmod(0o755)
    return {"PATH": os.pathsep.join((str(folder), "/usr/bin", "/bin"))}
