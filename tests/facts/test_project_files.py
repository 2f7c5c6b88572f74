"""What a project tells an agent is harmless only where every key is known to be; all else waits
for a person."""

import json
import subprocess
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from automode.facts import agent_settings
from automode.facts.agent_settings import Switch
from automode.facts.project_files import foreign, foreign_stamp
from automode.facts.project_files import rows as known_rows
from tests.rows import rows

CLAUDE, LOCAL = ".claude/settings.json", ".claude/settings.local.json"
HOOK = '[{"hooks": [{"type": "command", "command": "sh .claude/x.sh"}]}]'
HEAD = "---\nname: x\ndescription: does all\n%s---\nText.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "project/.git").mkdir(parents=True)
    return tmp_path / "project"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(project: Path, agent: str = "claude-code") -> tuple[Switch, ...]:
    return foreign(str(project), home=str(project.parent / "home"), agent=agent)


def stamp(project: Path, agent: str = "claude-code") -> str:
    return foreign_stamp(str(project), home=str(project.parent / "home"), agent=agent)


@pytest.mark.parametrize(("agent", "name", "text"), rows("facts", "project-harmless"))
def test_what_an_ordinary_project_says_is_harmless(
    project: Path, agent: str, name: str, text: str
) -> None:
    written(project / name, text)

    assert found(project, agent) == ()


@pytest.mark.parametrize(
    ("agent", "name", "text", "said", "blinds"), rows("facts", "project-looked-at")
)
def test_all_else_waits_for_a_person(
    project: Path, agent: str, name: str, text: str, said: str, *, blinds: bool
) -> None:
    before = stamp(project, agent)
    path = written(project / name, text)

    (one,) = found(project, agent)

    assert str(path).startswith(one.path)
    assert said in one.what
    assert (one.blinds, one.asks) == (blinds, not blinds)
    assert "automode trust --project" in one.fix
    assert one.digest
    assert stamp(project, agent) != before


@pytest.mark.parametrize(("agent", "name", "text"), rows("facts", "project-read-differently"))
def test_what_agents_may_read_differently_is_refused(
    project: Path, agent: str, name: str, text: str
) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())

    (one,) = found(project, agent)

    assert one.blinds
    assert not one.digest


def test_folders_above_count_without_a_repository_and_above_a_submodule(project: Path) -> None:
    written(project / ".claude/skills/x/SKILL.md", HEAD % "hooks: {}\n")
    inner = project / "sub"
    inner.mkdir()
    assert len(foreign(str(inner), home="/nowhere", agent="claude-code")) == 1

    written(inner / ".git", "gitdir: ../.git/modules/sub\n")
    assert len(foreign(str(inner), home="/nowhere", agent="claude-code")) == 1


@pytest.mark.parametrize(
    "command",
    [
        '"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.sh',
        '"${CLAUDE_PROJECT_DIR:-.}"/.claude/hooks/x.sh',
        "$(git rev-parse --show-toplevel)/.claude/hooks/x.sh",
        "cd .claude/hooks && ./x.sh",
        "sh .claude/hooks/*.sh",
    ],
)
def test_trust_ends_when_the_script_of_a_hook_changes(project: Path, command: str) -> None:
    script = written(project / ".claude/hooks/x.sh", "true\n")
    told = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    written(project / ".claude/settings.json", json.dumps(told))
    (before,) = found(project, "claude-code")

    script.write_text("touch x\n")

    (after,) = found(project, "claude-code")
    assert before.digest != after.digest


def test_a_link_to_tracked_settings_is_no_answer_of_a_person(project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    written(project / "cfg/settings.local.json", '{"enableAllProjectMcpServers": true}')
    (project / ".claude").symlink_to("cfg")
    subprocess.run(["git", "-C", str(project), "add", "-A"], check=True)

    assert [one.blinds for one in found(project, "claude-code")] == [True]


KNOWN: dict[str, tuple[str, dict[str, object]]] = {
    "claude-code": (CLAUDE, {"permissions": {"allow": ["Bash"]}, "env": {"NO_COLOR": "1"}}),
    "pi": (".pi/settings.json", {"theme": "x", "compaction": {"enabled": True}}),
    "qwen-code": (".qwen/settings.json", {"ui": {"theme": "x"}, "env": {"QWEN_MODEL": "y"}}),
}


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    agent=st.sampled_from(["claude-code", "pi", "qwen-code"]),
    name=st.text(min_size=1, max_size=8).map(lambda text: f"{text}?"),
    value=st.one_of(st.none(), st.booleans(), st.text(max_size=4), st.just([]), st.just({})),
    first=st.booleans(),
)
def test_a_key_that_nobody_knows_never_stays_silent(
    project: Path, agent: str, name: str, value: object, *, first: bool
) -> None:
    file, known = KNOWN[agent]
    told = {name: value, **known} if first else {**known, name: value}
    path = written(project / file, json.dumps(told))

    assert [one.path for one in found(project, agent)] == [str(path)]
    path.unlink()


def test_more_than_anybody_looks_at_waits_for_a_person(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_settings, "MOST_NAMES", 3)
    for number in range(5):
        (project / f".claude/skills/{number}").mkdir(parents=True)

    assert [one.blinds for one in found(project)][:1] == [True]
    assert stamp(project)


def test_a_folder_or_nothing_in_the_place_of_settings_says_nothing(project: Path) -> None:
    (project / ".env").mkdir()
    (project / ".gemini").mkdir()
    (project / ".gemini/settings.json").symlink_to("nowhere")

    assert found(project, "gemini-cli") == ()


def test_the_home_folder_is_no_project(project: Path) -> None:
    home = project.parent / "home"
    written(home / CLAUDE, '{"apiKeyHelper": "x"}')
    (home / ".git").mkdir()

    assert foreign(str(home), home=str(home), agent="claude-code") == ()


def test_what_is_trusted_is_what_is_not_harmless_and_the_files_that_it_names(
    project: Path,
) -> None:
    path = written(project / LOCAL, f'{{"hooks": {{"Stop": {HOOK}}}}}')
    script = written(project / ".claude/x.sh", "true")
    [first], stamps = found(project), {stamp(project)}

    path.write_text(f'{{"hooks": {{"Stop": {HOOK}}}, "permissions": {{"allow": ["Bash"]}}}}')
    assert [one.digest for one in found(project)] == [first.digest]
    script.write_text("something else")
    [second] = found(project)
    stamps.add(stamp(project))
    path.write_text(f'{{"hooks": {{"Stop": {HOOK}, "Notification": {HOOK}}}}}')
    [third] = found(project)

    assert len({first.digest, second.digest, third.digest}) == 3
    assert len(stamps) == 2


@pytest.mark.parametrize("name", ["b.ts", "b.d.ts", "deep/c.js"])
def test_every_file_of_a_folder_of_code_counts(project: Path, name: str) -> None:
    written(project / ".pi/extensions/a.ts", "x")
    [before], stamps = found(project, "pi"), stamp(project, "pi")
    written(project / ".pi/extensions" / name, "x")

    [after] = found(project, "pi")

    assert after.digest not in ("", before.digest)
    assert stamp(project, "pi") != stamps


def test_a_folder_of_code_that_leads_elsewhere_is_never_trusted(project: Path) -> None:
    (project / ".pi").mkdir()
    (project / ".pi/extensions").mkdir()
    (project / ".pi/extensions/a").symlink_to("/")

    (one,) = found(project, "pi")

    assert one.digest == ""


def test_the_persons_own_answers_about_servers_count_where_git_did_not_bring_them(
    project: Path,
) -> None:
    path = written(project / LOCAL, '{"enabledMcpjsonServers": ["x"]}')
    git = ["git", "-C", str(project)]
    subprocess.run([*git, "init", "-q"], check=True)
    written(project / "a.txt", "x")
    subprocess.run([*git, "add", "a.txt"], check=True)
    assert found(project) == ()

    subprocess.run([*git, "add", "-f", LOCAL], check=True)
    assert [one.path for one in found(project)] == [str(path)]


def test_without_a_name_every_agent_is_looked_at(project: Path) -> None:
    written(project / ".env", "PYTHONPATH=x")
    written(project / "opencode.json", '{"shell": "x"}')

    seen = foreign(str(project), home=str(project.parent / "home"))

    assert {one.agent for one in seen} == {"gemini-cli", "qwen-code", "opencode"}


def test_the_table_says_nothing_that_is_not_read() -> None:
    text = files("automode.facts").joinpath("harmless.toml").read_text("utf-8")
    known = set("agents files harmless asked variables names marks untracked inside".split())
    for row in tomllib.loads(text)["row"]:
        assert set(row) <= known | {"code", "marker"}
        assert row["agents"]
        assert row["files"]
    assert len(known_rows()) > 10
