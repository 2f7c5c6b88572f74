"""The real agents on a scripted model: a smoke of `make e2e`, and what the doctor sees of them."""

import json
from pathlib import Path

import pytest
from conformance.programs import pinned
from conformance.run import Cast, End, play
from conformance.scenarios import SCENARIOS, Scenario
from conformance.trial import trial

from automode.agents.scripted.driver import NoProgram, write_file
from automode.agents.scripted.firing import fires
from automode.agents.scripted.wire import ToolUse, saying, using

AGENTS = Path(__file__).parents[2] / ".venv" / "agents"
WAYS = {
    "pi": ("pi", ()),
    "pi 1.x": ("pi-1", ()),
    "claude-code over HTTP": ("claude-code", ("--transport", "http")),
    "claude-code over commands": ("claude-code", ("--transport", "command")),
}
SMOKE = [one for one in SCENARIOS if one.id in ("allow-runs", "deny-blocks")]


def cast(way: str) -> Cast:
    name, words = WAYS[way]
    try:
        return Cast(way, pinned(name, str(AGENTS)), words)
    except NoProgram as why:
        pytest.skip(f"NO REAL AGENT: {why}; {why.hint}")


@pytest.mark.parametrize("way", ["pi", "claude-code over HTTP"])
@pytest.mark.parametrize("scenario", SMOKE, ids=lambda one: one.id)
def test_the_real_agent_plays_the_scenario(way: str, scenario: Scenario) -> None:
    played = play(scenario, cast(way))

    assert (played.end, played.detail) == (End.PASSED, "")


@pytest.mark.real
@pytest.mark.parametrize("way", WAYS)
def test_the_doctor_sees_the_hook_fire(way: str) -> None:
    chosen = cast(way)
    with trial(chosen.agent, chosen.installed_with) as ready:
        path = chosen.agent.words[-1]

        fired = fires(chosen.agent.name, path, environment=ready.environment)

        assert (fired.ok, "automode stopped it" in fired.detail) == (True, True), fired.detail


@pytest.mark.real
@pytest.mark.parametrize("way", WAYS)
def test_the_doctor_sees_a_hook_without_anybody_behind_it(way: str) -> None:
    """The state folder is gone, so that no daemon can be asked or started."""
    chosen = cast(way)
    with trial(chosen.agent, chosen.installed_with) as ready:
        moved = Path(ready.state.path)
        moved.rename(moved.with_name("elsewhere"))

        fired = fires(chosen.agent.name, chosen.agent.words[-1], environment=ready.environment)

        assert not fired.ok
        assert "nothing is decided" in fired.detail


SCRIPT = """
const ran = await tools.bash({ command: "touch allowed-1" });
return [ran.exit_code, await tools.bash({ command: "touch denied-2" }).catch(String)];
"""
TAKEN = """
export default (pi) => pi.registerTool({
    name: "codemode", label: "x", description: "x",
    parameters: { type: "object", properties: { code: { type: "string" } } },
    execute: async () => ({ content: [{ type: "text", text: "it ran" }], details: undefined }),
});
"""


@pytest.mark.real
@pytest.mark.parametrize("taken", [False, True], ids=["its own", "one that took its name"])
def test_a_script_in_pi_may_run_and_each_of_its_calls_is_decided(*, taken: bool) -> None:
    """The judge clears nothing here."""
    with trial(cast("pi 1.x").agent) as ready:
        below = f"{ready.scratch.home}/.pi/agent"
        write_file(f"{below}/settings.json", '{"defaultTools": ["+codemode"]}')
        if taken:
            write_file(f"{below}/extensions/own.ts", TAKEN)
        ready.model.verdicts = lambda _: "1"
        ready.model.plays(using(ToolUse("codemode", {"code": SCRIPT})), saying("done"))

        ready.run()

        decided = [(one.tool, one.verdict.word) for one in ready.records()]
        script = [("pi:codemode", "allow"), ("bash", "allow"), ("bash", "deny")]
        assert decided == ([("codemode", "deny")] if taken else script)
        assert ready.files() == (set() if taken else {"allowed-1"})
        assert "automode (" in ready.model.results()[0]


@pytest.mark.real
def test_a_projects_servers_keep_pi_from_working_and_under_run_from_starting() -> None:
    with trial(cast("pi 1.x").agent) as ready:
        server = {"command": "sh", "args": ["-c", "touch started; cat"]}
        write_file(f"{ready.project}/.pi/mcp.json", json.dumps({"mcpServers": {"x": server}}))
        ready.model.plays(using(ready.agent.shell("touch allowed-1")), saying("done"))

        guarded = ready.run(words=("--approve",), guarded=True)
        started = ready.files()
        alone = ready.run(words=("--approve",))

        assert started == set()
        assert all("`mcpServers`" in one.err for one in (guarded, alone))
        assert ready.model.asked == []


BACK = """
export default (pi) => pi.registerCommand("back", {
    description: "to the first answer",
    async handler(_words, ctx) {
        const entries = ctx.sessionManager.getEntries();
        const first = entries.find((one) => one.message?.role === "assistant");
        await ctx.navigateTree(first.id, { summarize: false });
        ctx.ui.notify("went back");
    },
});
"""


@pytest.mark.real
@pytest.mark.parametrize("way", ["pi", "pi 1.x"])
def test_words_of_a_branch_that_was_left_in_pi_are_not_the_users(way: str) -> None:
    with trial(cast(way).agent) as ready:
        write_file(f"{ready.scratch.home}/.pi/agent/extensions/back.ts", BACK)
        ready.agreed.add("other-1")
        call = using(ready.agent.shell("touch other-1"))
        ready.model.plays(saying("first"), call, saying("over"))  # by how long the branch is
        with ready.terminal() as terminal:
            terminal.wait_for(*ready.agent.screen.ready)
            for words, answer in (("kept words", "first"), ("words left", "over")):
                terminal.settle()
                terminal.prompt(words)
                terminal.wait_for(answer)
            terminal.settle()
            terminal.prompt("/back")
            terminal.wait_for("went back")
            terminal.settle()
            before = len(ready.model.judged)
            terminal.prompt("go on")
            terminal.wait_until(lambda: len(ready.model.judged) > before, "the judge was not asked")

        shown = [one.whole for one in ready.model.judged]
        assert all("kept words" in one for one in shown)
        assert ["words left" in one for one in shown] == [at < before for at in range(len(shown))]
