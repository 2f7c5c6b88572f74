"""The loader in Pi's package, on Node alone: whatever goes wrong in it blocks every call."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.agents.conftest import ROOT, TYPESCRIPT

LOADER = ROOT / "plugins/pi/automode.ts"
HARNESS = """
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
const [loader, home] = process.argv.slice(2);
os.userInfo = () => {
	if (!home) throw new Error("this account has no name");
	return { homedir: home };
};
syncBuiltinESMExports();
const on = {}, registered = [];
const pi = { on: (name, handler) => { (on[name] ??= []).push(handler); }, registerTool: () => registered.push("tool") };
const { default: load } = await import(loader);
await load(pi);
const answers = await Promise.all((on.tool_call ?? []).map((handler) => handler()));
process.stdout.write(JSON.stringify({ answers, registered }));
"""  # noqa: E501
GOOD = """
export default (pi) => {
    pi.registerTool({});
    pi.on("tool_call", async () => ({ block: true, reason: "decided" }));
};
"""
THROWS = 'export default (pi) => { pi.on("tool_call", async () => undefined); throw 7; };'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home/.local/bin").mkdir(parents=True)
    return tmp_path / "home"


def put_automode(home: Path, extension: str, says: str = "echo @home@/extension.ts") -> None:
    (home / "extension.ts").write_text(extension)
    program = home / ".local/bin/automode"
    program.write_text(f'#!/bin/sh\necho "$@" >{home}/words\n{says.replace("@home@", str(home))}\n')
    program.chmod(0o755)


def loaded(node: str, home: Path, known: str, *more: str) -> dict[str, list[object]]:
    text = LOADER.read_text()
    for place in ("/opt/homebrew", "/usr/local", "/usr"):
        text = text.replace(f'"{place}/bin/automode"', f'"{home}/nowhere"')
    (home / "loader.mts").write_text(text)
    (home / "harness.mjs").write_text(HARNESS)
    done = subprocess.run(
        (node, *TYPESCRIPT, home / "harness.mjs", home / "loader.mts", known, *more),
        cwd=home,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_it_loads_the_extension_that_automode_names(node: str, home: Path) -> None:
    put_automode(home, GOOD)

    found = loaded(node, home, str(home))

    assert found == {"answers": [{"block": True, "reason": "decided"}], "registered": ["tool"]}
    folders = f"--state-folder {home}/.local/state/automode --config-folder {home}/.config/automode"
    assert (home / "words").read_text() == f"extension pi {folders}\n"


@pytest.mark.parametrize("way", ["installed", "run"])
def test_beside_another_it_decides_and_brings_no_tool(node: str, home: Path, way: str) -> None:
    put_automode(home, GOOD)
    if way == "installed":
        (home / ".pi/agent/extensions").mkdir(parents=True)
        (home / ".pi/agent/extensions/automode.ts").touch()
    words = ("-e", "/state/install/run/automode.ts") if way == "run" else ()

    found = loaded(node, home, str(home), *words)

    assert found == {"answers": [{"block": True, "reason": "decided"}], "registered": []}


BROKEN = {
    "no automode": (None, "finds no automode in"),
    "an account without a name": (GOOD, "this account has no name"),
    "an extension that throws after it began": (THROWS, "unknown error"),
    "an extension that is no code": ("(", "must not run"),
    "an extension without a function": ("export const x = 1;", "must not run"),
}


SAYS = {
    "fails": ("exit 1", "extension pi` failed"),
    "fails after its answer": ("echo @home@/extension.ts; exit 1", "extension pi` failed"),
    "says nothing": ("true", "extension pi` failed"),
    "says no path": ("echo yes", "extension pi` failed"),
    "names no file": ("echo /nowhere/automode.ts", "must not run"),
}


@pytest.mark.parametrize("case", SAYS)
def test_an_automode_that_names_no_extension_blocks_every_call(
    node: str, home: Path, case: str
) -> None:
    says, said = SAYS[case]
    put_automode(home, GOOD, says)

    (only,) = loaded(node, home, str(home))["answers"]

    assert isinstance(only, dict)
    assert only["block"] is True
    assert said in only["reason"]


@pytest.mark.parametrize("case", BROKEN)
def test_whatever_goes_wrong_blocks_every_call(node: str, home: Path, case: str) -> None:
    extension, said = BROKEN[case]
    if extension is not None:
        put_automode(home, extension)

    found = loaded(node, home, "" if "account" in case else str(home))

    last = found["answers"][-1]
    assert isinstance(last, dict)
    assert last["block"] is True
    assert said in last["reason"]
