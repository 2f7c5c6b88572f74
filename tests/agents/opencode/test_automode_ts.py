"""OpenCode's plugin as it is shipped: two files, without a build, that need no package."""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from automode.agents.installing.own_files import fill, template_of, whole_text
from automode.agents.installing.site import Program
from tests.agents.conftest import TYPESCRIPT

PLUGIN, HALF = (whole_text(template_of("opencode", name)) for name in ("automode.ts", "tui.ts"))
PI = whole_text(template_of("pi"))
NAMES = re.compile(r'^import \{(.*)\} from "', re.MULTILINE)
IMPORT = re.compile(r'^import .* from "([^"]+)";$', re.MULTILINE)


@pytest.mark.parametrize("text", [PLUGIN, HALF, PI], ids=["plugin", "half", "pi"])
def test_one_place_is_filled_in_and_no_name_is_imported_twice(text: str) -> None:
    """The shared part imports, too, and a file with one name twice is not loaded."""
    names = [name.strip() for row in NAMES.findall(text) for name in row.split(",")]

    assert text.count("const INSTALLED = {/*automode:installed*/};") == 1
    assert "/*automode:wire*/" not in text
    assert names
    assert len(names) == len(set(names))


def test_the_plugin_takes_all_from_node_and_its_half_only_what_the_terminal_brings() -> None:
    found = IMPORT.findall(PLUGIN)

    assert all(one.startswith("node:") for one in found)
    assert len(found) == PLUGIN.count("\nimport ")
    assert {one for one in IMPORT.findall(HALF) if not one.startswith("node:")} == {
        *("@opentui/solid", "solid-js")
    }


def test_no_dialog_has_yes_first_and_an_answer_needs_a_proof() -> None:
    """One that differs from word to word."""
    assert "[NO, YES]" in HALF
    assert "DialogConfirm" not in HALF
    assert [text.count("update(`${word} ${nonce}`)") for text in (PLUGIN, HALF)] == [1, 1]
    assert all("createHmac" in text for text in (PLUGIN, HALF))


@dataclass(frozen=True, slots=True)
class OpenCode:
    node: str
    program: Program
    folder: Path


@pytest.fixture
def opencode(node: str, program: Program, tmp_path: Path) -> OpenCode:
    return OpenCode(node, program, tmp_path)


def said_in_node(opencode: OpenCode, script: str) -> object:
    """What `script` logs, which finds the plugin as `begun(answer)`: `answer` is what OpenCode says
    of a session. OpenCode itself needs no build for it either."""
    folder = opencode.folder
    file = folder / "settings" / "plugins" / "automode.ts"
    file.parent.mkdir(parents=True)
    file.write_bytes(fill(template_of("opencode"), opencode.program, floor=True))
    (folder / "settings" / "package.json").write_text('{"type": "module"}')
    trial = folder / "trial.mjs"
    trial.write_text(
        f"""import {{ Automode }} from {json.dumps(str(file))};
        const nothing = async () => ({{}});
        const tui = {{ publish: nothing, showToast: nothing }};
        const directory = {json.dumps(str(folder / "project"))};
        const session = {{ abort: nothing, messages: nothing }};
        const client = (get) => ({{ session: {{ ...session, get }}, tui }});
        const begun = (get) => Automode({{ directory, client: client(get) }});
        {script}
        process.exit(0);"""
    )
    words = (opencode.node, *TYPESCRIPT, str(trial))
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=60, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    found: object = json.loads(done.stdout)
    return found


RULES = {
    # what the project says: whether OpenCode goes on asking about everything
    "nothing": ("{}", False),
    "a rule for one tool": ('{"permission": {"bash": {"*": "ask"}}}', False),
    "a rule for all": ('{"permission": {"*": "ask"}}', True),
    "one word for all": ('{"permission": "ask"}', True),
    "with a comment": ('{ // see https://x\n "permission": {"*": "ask", /* y */ }, }', True),
    "not to be read": ('{"permission": ', True),
}


@pytest.mark.parametrize(("written", "stays"), RULES.values(), ids=RULES.keys())
def test_a_projects_own_rule_for_everything_stays(
    written: str, stays: bool, opencode: OpenCode
) -> None:
    (opencode.folder / "project").mkdir()
    (opencode.folder / "project" / "opencode.jsonc").write_text(written)

    rules = said_in_node(
        opencode,
        """const config = { permission: { "*": "ask", bash: "allow" } };
        await (await begun(nothing)).config(config);
        console.log(JSON.stringify(config.permission));""",
    )

    assert rules == ({"*": "ask", "bash": "allow"} if stays else {"bash": "allow"})


GETS = {
    "nothing is said": "nothing",
    "it fails": "async () => { throw new Error('gone'); }",
}


@pytest.mark.parametrize("get", GETS.values(), ids=GETS.keys())
def test_a_session_that_may_be_a_sub_agents_is_nobodys(get: str, opencode: OpenCode) -> None:
    """Were it taken for a person's, what the agent tells it would count as the person's words."""
    said = said_in_node(
        opencode,
        f"""const hooks = await begun({get});
        const typed = {{ message: {{}}, parts: [{{ type: "text", text: "delete all" }}] }};
        const call = {{ tool: "bash", sessionID: "s", callID: "c" }};
        const tried = () => hooks["tool.execute.before"](call, {{ args: {{}} }});
        await hooks["chat.message"]({{ sessionID: "s" }}, typed);
        const event = {{ type: "session.updated", properties: {{ sessionID: "s" }} }};
        await hooks.event({{ event }});
        const why = await tried().then(() => "it ran", (error) => error.message);
        console.log(JSON.stringify(why));""",
    )

    assert isinstance(said, str)
    assert "must not run: OpenCode does not say whose session this is" in said


COMMANDS = {
    # what the command makes of the words; what comes to the plugin; whose words that is
    "as it was made": (["do all it says"], ["do all it says"], ["/deploy now", "do all it says"]),
    "changed by another plugin": (["do all"], ["do much"], ["/deploy now", "do much"]),
    "for a sub-agent": ([], [], ["/deploy now"]),
    "with words of their own": (["do all"], ["do all", "mine"], ["/deploy now", "do all\nmine"]),
}
PERSONS, MACHINES = "interactive", "extension"


@pytest.mark.parametrize(("made", "came", "told"), COMMANDS.values(), ids=COMMANDS.keys())
def test_what_a_command_makes_of_a_persons_words_is_not_the_persons(
    made: list[str], came: list[str], told: list[str], opencode: OpenCode
) -> None:
    said = typed_in_node(
        opencode, f"await commanded({made}); await typed({came}); await typed(['go on']);"
    )

    assert said == [
        *zip(told, (PERSONS, MACHINES), strict=False),
        ("go on", PERSONS),
    ]


def test_words_that_overtake_a_command_do_not_make_it_the_persons(opencode: OpenCode) -> None:
    said = typed_in_node(
        opencode,
        "await commanded(['do all']); await typed(['go on']);await typed(['do all']);",
    )

    assert ("do all", MACHINES) in said
    assert ("do all", PERSONS) not in said


def typed_in_node(opencode: OpenCode, script: str) -> list[tuple[str, str]]:
    """What the daemon is told that was typed, and by whom."""
    typing = f"""const parts = (texts) => texts.map((text) => ({{ type: "text", text }}));
        const commanded = (texts) => hooks["command.execute.before"](
            {{ command: "deploy", sessionID: "s", arguments: "now" }}, {{ parts: parts(texts) }});
        const typed = (texts) => hooks["chat.message"](
            {{ sessionID: "s" }}, {{ message: {{}}, parts: parts(texts) }});
        {script}
        const typedHere = told.filter((body) => body.event === "input");
        console.log(JSON.stringify(typedHere.map((body) => [body.text, body.source])));"""
    said = said_to_a_daemon(opencode, typing)
    assert isinstance(said, list)
    return [(text, source) for text, source in said]


def test_a_cancelled_turn_gives_the_call_up_and_hangs_up(opencode: OpenCode) -> None:
    """What is decided afterwards lets nothing run."""
    said = said_to_a_daemon(
        opencode,
        """const call = { tool: "bash", sessionID: "s", callID: "c" };
        const tried = hooks["tool.execute.before"](call, { args: { command: "ls" } });
        const ended = tried.then(() => "it ran", (error) => error.message);
        await proposed;
        await hooks.event({ event: { type: "session.error", properties: { sessionID: "s" } } });
        console.log(JSON.stringify([await ended, await hungUp]));""",
    )

    assert isinstance(said, list)
    assert "must not run: the turn was cancelled" in said[0]
    assert said[1] == "hung up"


def said_to_a_daemon(opencode: OpenCode, script: str) -> object:
    """The same with a daemon that answers everything but calls, which it only hears: `told`."""
    tokens = Path(opencode.program.state) / "tokens"
    tokens.mkdir(parents=True, mode=0o700)
    tokens.parent.chmod(0o700)
    for name in ("decide", "prompt"):
        (tokens / name).write_text("ab12")
        (tokens / name).chmod(0o600)
    listener = f"""const {{ createServer }} = await import("node:net");
        const told = [];
        let propose, hang;
        const proposed = new Promise((resolve) => {{ propose = resolve; }});
        const hungUp = new Promise((resolve) => {{ hang = resolve; }});
        const answered = (socket) => (data) => {{
            const body = JSON.parse(data.toString().split("\\n").slice(1).join("\\n"));
            told.push(body);
            if (body.event !== "tool_call") return socket.write("AM1 0 2 0\\n{{}}");
            socket.on("error", () => {{}}).on("close", () => hang("hung up"));
            socket.write("AM1 heard\\n", propose);
        }};
        const server = createServer((socket) => socket.on("data", answered(socket)));
        const place = {json.dumps(opencode.program.state + "/daemon.sock")};
        await new Promise((resolve) => server.listen(place, resolve));
        process.argv.push("run"); // nobody is there, and so nobody is looked for
        const hooks = await begun(async () => ({{ data: {{}} }}));
        {script}"""
    return said_in_node(opencode, listener)
