"""Claude Code's rules become ours: no allow rule covers more, no deny rule stops less."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from automode.agents.claude_code.permissions import TOOLS
from automode.agents.importing.agent_rules import ALLOW, DENY, VERDICTS, Entries, Fit
from automode.agents.importing.patterns import tool_rule as rule_of
from automode.core.call import ToolCall
from automode.core.decision import Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.rules.layer import Rules
from automode.rules.pattern import Rule
from tests.agents.importing import claude_rules as theirs
from tests.reading import facts_of
from tests.rows import each_row, rows

HOME, ROOT = "/home/u", "/home/u/w"
FOLDERS = (ROOT, f"{ROOT}/sub")


def tool_rule(key: str, text: str, roots: tuple[str, ...] = ()) -> Entries:
    return rule_of(key, text, TOOLS, roots)


def place(cwd: str) -> Workspace:
    return Workspace(ROOT, cwd, HOME, Names(ROOT))


def answers(verdict: Verdict, ours: tuple[str, ...], call: ToolCall, cwd: str = ROOT) -> bool:
    rules = Rules(verdict, [Rule(text) for text in ours], protected=lambda _path: False)
    return asyncio.run(rules(facts_of(call, place(cwd)), Session("s", place(cwd)), ())) is not None


TOO_LONG = ("allow", "Bash(" + "x" * 5000 + ")", list[str](), Fit.NONE)


@each_row("verdict, rule, ours, fit", [*rows("agents", "claude-rules"), TOO_LONG])
def test_a_rule_becomes_these_entries(verdict: str, rule: str, ours: list[str], fit: str) -> None:
    entries = tool_rule(VERDICTS[verdict], rule, ("~/.claude",))

    assert (list(entries.ours), entries.fit) == (ours, fit)
    assert entries.ours or entries.note


PROGRAMS = st.sampled_from(["npm", "git", "ls", "cargo", "lsof"])
WORDS = st.sampled_from(
    ["run", "test", "tests", "build", "push", "--force", "-la", "a/b", "'a b'", "..", "/etc/x", "*"]
)
COMMAND = st.builds(
    lambda name, rest: " ".join([name, *rest]), PROGRAMS, st.lists(WORDS, max_size=3)
)
SCRIPT = st.builds(
    lambda before, parts, glue: before + glue.join(parts),
    st.sampled_from(["", "", "", "timeout 5 ", "nice "]),
    st.lists(COMMAND, min_size=1, max_size=2),
    st.sampled_from([" && ", " | ", "; ", " & "]),
)
SPECIFIER = st.builds(
    lambda command, ending: command + ending, COMMAND, st.sampled_from(["", " *", ":*", "*"])
)


@settings(max_examples=250, deadline=None)
@given(specifier=SPECIFIER, script=SCRIPT)
def test_what_an_imported_rule_allows_claude_code_allows(specifier: str, script: str) -> None:
    ours = tool_rule(ALLOW, f"Bash({specifier})").ours

    if ours and answers(Verdict.ALLOW, ours, tool_call("Bash", {"command": script})):
        assert all(theirs.command_fits(specifier, one) for one in theirs.commands_in(script))


@settings(max_examples=250, deadline=None)
@given(specifier=SPECIFIER, script=SCRIPT)
def test_what_claude_code_denies_an_imported_rule_stops(specifier: str, script: str) -> None:
    ours = tool_rule(DENY, f"Bash({specifier})").ours

    if any(theirs.command_fits(specifier, one) for one in theirs.commands_in(script)):
        assert answers(Verdict.DENY, ours, tool_call("Bash", {"command": script}))


PARTS = st.sampled_from(["src", "secrets", ".env", "a.pem", "sub", "w", "notes"])
PATH = st.builds(
    lambda base, parts: base + "/" + "/".join(parts),
    st.sampled_from(["", HOME, ROOT, f"{ROOT}/sub", "/etc"]),
    st.lists(PARTS, min_size=1, max_size=3),
)
PATH_SPECIFIER = st.builds(
    lambda base, parts: base + "/".join(parts),
    st.sampled_from(["//", "~/", "/", "./", "", "//home/u/w/", "**/"]),
    st.lists(
        st.one_of(PARTS, st.sampled_from(["*", "**", "*.pem", "?.pem"])), min_size=1, max_size=3
    ),
)


@settings(max_examples=400, deadline=None)
@given(
    key=st.sampled_from([ALLOW, DENY]),
    tool=st.sampled_from(["Read", "Edit"]),
    specifier=PATH_SPECIFIER,
    path=PATH,
    cwd=st.sampled_from(FOLDERS),
)
def test_paths_are_neither_opened_nor_freed(
    key: str, tool: str, specifier: str, path: str, cwd: str
) -> None:
    ours = tool_rule(key, f"{tool}({specifier})", ("~/.claude",)).ours
    call = tool_call(tool, {"file_path": path})
    fits = theirs.path_fits(specifier, path, cwd=cwd, home=HOME, root=ROOT)

    if key == ALLOW and ours and answers(Verdict.ALLOW, ours, call, cwd):
        assert fits
    if key == DENY and fits:
        assert answers(Verdict.DENY, ours, call, cwd)


URLS = ["https://a.com/x", "https://b.a.com/", "http://a.com/", "https://a.com.evil.net/a.com"]


@each_row("url", URLS)
def test_addresses_keep_to_the_host(url: str) -> None:
    call = tool_call("WebFetch", {"url": url, "prompt": "read it"})
    fits = theirs.host_fits("domain:a.com", url)

    allowed = answers(Verdict.ALLOW, tool_rule(ALLOW, "WebFetch(domain:a.com)").ours, call)
    denied = answers(Verdict.DENY, tool_rule(DENY, "WebFetch(domain:a.com)").ours, call)

    assert fits or not allowed
    assert denied or not fits


@each_row("rule", ["mcp__a", "mcp__a__*", "mcp__a__b"])
def test_tools_of_servers_keep_to_the_server(rule: str) -> None:
    for tool in ("mcp__a__b", "mcp__a__c", "mcp__ab__c", "mcp__b__a"):
        call, fits = tool_call(tool, {"x": 1}), theirs.tool_fits(rule, tool)

        assert answers(Verdict.ALLOW, tool_rule(ALLOW, rule).ours, call) == fits
        assert answers(Verdict.DENY, tool_rule(DENY, rule).ours, call) == fits
