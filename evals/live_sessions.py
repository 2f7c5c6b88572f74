"""Sessions of a coding agent on real projects: recorded with the folder before each call, and
decided again by another version.

    export RECORDING=FOLDER                       # where this session is kept
    python evals/live_sessions.py start PROJECT   # once
    python evals/live_sessions.py say 'TEXT'      # what the user writes
    python evals/live_sessions.py run 'COMMAND'   # decides, then runs it in the project
    python evals/live_sessions.py write PATH < text
    python evals/live_sessions.py edit PATH OLDFILE NEWFILE
    python evals/live_sessions.py replay FOLDER…  # what this version says of recorded sessions
    python evals/live_sessions.py prompts OUT FOLDER…  # what it would ask a model about them

Nobody is asked: each call runs whatever the answer is, as if a person always said yes, so the agent
never sees an answer. What recordings of others lack (the files, and texts as a whole) is there.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from automode import assemble
from automode.facts.reader import ShellReader
from automode.library.gate import Gate, ToolCall

SECONDS = 300.0
LONGEST = 20_000
HERE = re.compile(r"cat > (/tmp/[\w./-]+) <<-?\s*['\"]?(\w+)['\"]?\n(.*?\n)\2$", re.S | re.M)
CLEARED = {"decision": "allow", "tier": "none", "reason": "a model in place of another"}
INSTALLED = {"node_modules", ".venv", "venv", "target", "vendor"}  # large; kept as hard links


def main(words: list[str]) -> None:
    if words[:1] == ["replay"]:
        replay([Path(one) for one in words[1:]])
        return
    if words[:1] == ["prompts"]:
        prompts(Path(words[1]), [Path(one) for one in words[2:]])
        return
    kept = Path(os.environ["RECORDING"])
    match words:
        case ["start", folder]:
            kept.mkdir(parents=True)
            (kept / "folder").write_text(os.path.abspath(folder))
        case ["say", text]:
            note(kept, {"say": text})
        case ["run", command]:
            before(kept, "Bash", {"command": command})
            print(run(kept, command), end="")
        case ["write", name]:
            path, text = project(kept) / name, sys.stdin.read()
            before(kept, "Write", {"file_path": str(path), "content": text})
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            note(kept, {"result": "written", "failed": False})
        case ["edit", name, old, new]:
            path = project(kept) / name
            was, put = (Path(one).read_text().rstrip("\n") for one in (old, new))
            if path.read_text().count(was) != 1:
                raise SystemExit(f"`{name}` does not hold the old text exactly once")
            before(kept, "Edit", {"file_path": str(path), "old_string": was, "new_string": put})
            path.write_text(path.read_text().replace(was, put))
            note(kept, {"result": "edited", "failed": False})
        case _:
            raise SystemExit(__doc__)


def project(kept: Path) -> Path:
    return Path((kept / "folder").read_text())


def note(kept: Path, line: Mapping[str, object]) -> None:
    with (kept / "calls.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def lines(kept: Path) -> Iterator[dict[str, object]]:
    yield from map(json.loads, (kept / "calls.jsonl").read_text().splitlines())


def before(kept: Path, tool: str, given: Mapping[str, object]) -> None:
    number = sum("tool" in one for one in lines(kept))
    keep(project(kept), kept / "before" / str(number))
    note(kept, {"tool": tool, "input": given})


def keep(folder: Path, copy: Path) -> None:
    copy.mkdir(parents=True)
    for one in folder.iterdir():
        if one.name in INSTALLED and one.is_dir() and not one.is_symlink():
            shutil.copytree(one, copy / one.name, symlinks=True, copy_function=os.link)
        elif one.is_dir() and not one.is_symlink():
            keep(one, copy / one.name)
        else:
            shutil.copy2(one, copy / one.name, follow_symlinks=False)


def run(kept: Path, command: str) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=project(kept),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    text = done.stdout.decode(errors="replace")
    note(kept, {"result": text[:LONGEST], "failed": done.returncode != 0})
    return text


def replay(recordings: list[Path]) -> None:
    assemble.READER = ShellReader(60.0)  # on a busy machine a script is else not understood
    every = asked = 0
    for kept in recordings:
        answers = list(decided(kept))
        stopped = [one for one in answers if one[0] != "allow"]
        print(f"{kept.name}: {len(stopped)} of {len(answers)} asked or denied")
        for verdict, call, reason in () if "HELD_BACK" in os.environ else stopped:
            print(f"  {verdict}: {call[:100]}\n      {reason[:400]}")
        every, asked = every + len(answers), asked + len(stopped)
    print(f"asked or denied: {asked} of {every}, {100 * asked / max(every, 1):.1f} in 100")


def prompts(out: Path, recordings: list[Path]) -> None:
    """Each question as the gate asks it, of a stand-in that flags everything at the first look and
    clears it at the second: a line for each call."""
    asked: list[list[dict[str, str]]] = []

    class Stub(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body["messages"])
            second = body["messages"] != asked[0]
            text = json.dumps(CLEARED) if second else "1"
            answer = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *given: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/v1"
    own = {"api": "openai", "baseUrl": address, "apiKeyEnv": "STUB_KEY"}
    os.environ["STUB_KEY"] = "none"
    settings = {"autoMode": {"providers": {"stub": own}, "classifierModel": "stub/x"}}
    with out.open("w") as file:
        for kept in recordings:
            for number, (verdict, _, reason) in enumerate(decided(kept, settings)):
                line = {"key": f"{kept.name}-{number}", "verdict": verdict, "reason": reason}
                file.write(json.dumps(line | {"asked": asked[:2]}) + "\n")
                asked.clear()


def decided(kept: Path, settings: Mapping[str, object] = {}) -> Iterator[tuple[str, str, str]]:
    """With the project's folder as it was before each call, and back as it is now at the end."""
    folder = project(kept)
    aside = folder.with_name(f"{folder.name}.kept")
    folder.rename(aside)
    with tempfile.TemporaryDirectory() as config, tempfile.TemporaryDirectory() as state:
        folder.mkdir()
        Path(config, "config.json").write_text(json.dumps(settings))
        try:
            with Gate(str(folder), attended=True, config_folder=config, state_folder=state) as gate:
                yield from answers_of(kept, folder, gate)
        finally:
            shutil.rmtree(folder)
            aside.rename(folder)


def scratch(given: Mapping[str, object]) -> None:
    """The texts that a call wrote below `/tmp`: only the project's folder was kept."""
    for path, _, text in HERE.findall(str(given.get("command", ""))):
        if not os.path.lexists(path):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text)


def answers_of(kept: Path, folder: Path, gate: Gate) -> Iterator[tuple[str, str, str]]:
    number = 0
    call = ToolCall("")
    for one in lines(kept):
        if "say" in one:
            gate.said_sync(str(one["say"]))
        elif "tool" in one:
            shutil.rmtree(folder)
            keep(kept / "before" / str(number), folder)
            scratch(call.input)
            given = one["input"]
            assert isinstance(given, dict)
            call = ToolCall(str(one["tool"]), given, id=str(number))
            found = gate.decide_sync(call)
            number += 1
            yield found.verdict.word, str(given.get("command", call.input)), found.reason
        else:
            gate.finished_sync(call, str(one["result"]), failed=bool(one["failed"]))


if __name__ == "__main__":
    main(sys.argv[1:])
