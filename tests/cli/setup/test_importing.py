"""`automode import`: what is shown, what is written, and when nothing is."""

import errno
import json
import os
from pathlib import Path

import pytest

from automode.config import json_edit
from tests.cli.conftest import Run, words_of

CLAUDE = {
    "permissions": {
        "deny": ["Read(./.env)"],
        "ask": ["Bash(npm publish *)"],
        "allow": ["Bash(npm run test:*)", "Bash(python:*)", "Bash(*)", "Edit(src/**)"],
    },
    "autoMode": {"environment": ["$defaults", "The organisation is acme."]},
}
ENTRIES = {
    "deny": ["read(.env)", "edit(.env)"],
    "ask": ["bash(npm publish *)"],
    "allow": ["bash(npm run test *)"],
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, a_person: None) -> Path:
    folder = tmp_path / "home"
    (folder / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    (folder / ".claude" / "settings.json").write_text(json.dumps(CLAUDE))
    return folder


def test_rules_are_shown_with_what_they_cover_and_written_once(
    automode: Run, config: Path, home: Path
) -> None:
    first = automode("import", "claude-code", "--yes")
    before = (config / "config.json").read_bytes()
    again = automode("import", "claude", "--yes")

    text = words_of(first.stdout)
    assert first.exit_code == 0, first.output
    assert "Read(./.env) → read(.env), edit(.env) stricter: in any folder" in text
    assert "Bash(*) → set aside it would let any command run" in text
    assert "Edit(src/**) → not imported" in text
    assert "7 rules: 4 can be imported, 2 set aside, 1 not imported." in text
    written = json.loads(before)
    assert written["permissions"] == ENTRIES
    assert written["autoMode"]["environment"] == ["$defaults", "The organisation is acme."]
    assert "nothing to write" in again.stdout
    assert (config / "config.json").read_bytes() == before


def test_what_stands_there_stays_with_its_comments(automode: Run, config: Path, home: Path) -> None:
    own = '{\n  // mine\n  "permissions": {\n    "deny": ["read(.env)", "bash(rm *)"]\n  }\n}\n'
    (config / "config.json").write_text(own)

    automode("import", "claude-code", "--yes")

    text = (config / "config.json").read_text()
    assert "// mine" in text
    assert text.count('"read(.env)"') == 1
    assert '"bash(rm *)"' in text
    assert automode("config").exit_code == 0


def test_beside_a_prohibition_that_is_no_pattern_of_ours_nothing_is_allowed(
    automode: Run, config: Path, home: Path
) -> None:
    (home / ".cursor").mkdir()
    rules = {"permissions": {"deny": ["Mcp(db:a+b)"], "allow": ["Shell(ls)"]}}
    (home / ".cursor" / "cli-config.json").write_text(json.dumps(rules))

    done = automode("import", "cursor", "--yes")

    assert done.exit_code == 0, done.output
    assert "2 rules: 0 can be imported, 0 set aside, 2 not imported." in words_of(done.stdout)
    assert not (config / "config.json").exists()


def test_a_dry_run_and_nobody_there_write_nothing(automode: Run, config: Path, home: Path) -> None:
    tried = automode("import", "claude-code", "--dry-run")
    alone = automode("import", "claude-code")

    assert tried.exit_code == 0
    assert alone.exit_code == 2
    assert "nobody is there to confirm" in alone.stderr
    assert not (config / "config.json").exists()


def test_json_names_every_rule(automode: Run, home: Path) -> None:
    told = json.loads(automode("import", "claude-code", "--yes", "--json").stdout)

    assert told["written"] is True
    states = {one["text"]: one["state"] for one in told["rules"]}
    assert states["Bash(*)"] == "set aside"
    assert states["Edit(src/**)"] == "not imported"


def test_a_projects_rules_only_tighten_and_stay_with_the_project(
    automode: Run, config: Path, project: Path, home: Path
) -> None:
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(json.dumps(CLAUDE))

    done = automode("import", "claude-code", "--project", "--yes")

    assert done.exit_code == 0, done.output
    written = json.loads((project / ".automode" / "config.json").read_text())
    assert written == {"permissions": {key: ENTRIES[key] for key in ("ask", "deny")}}
    assert "may tighten and never loosen" in words_of(done.stdout)
    assert not (config / "config.json").exists()


def test_a_home_without_the_agent_is_said_in_one_sentence(automode: Run, home: Path) -> None:
    done = automode("import", "codex", "--yes")

    assert done.exit_code == 0
    assert done.stdout == ("no permission rules of codex were found; none of its files is there\n")


def test_a_file_that_automode_reads_by_itself_is_named(automode: Run, home: Path) -> None:
    done = automode("import", "pi", "--yes")

    assert done.exit_code == 0
    assert "automode reads `~/.pi/agent/automode.json` by itself" in words_of(done.stdout)


@pytest.mark.parametrize(
    ("agent", "says"),
    [("cline", "no rules can be imported from `cline`"), ("nano", "unknown agent: `nano`")],
)
def test_other_agents_are_refused(automode: Run, home: Path, agent: str, says: str) -> None:
    done = automode("import", agent)

    assert done.exit_code == 2
    assert says in done.stderr


def test_bad_files_on_either_side_change_nothing(automode: Run, config: Path, home: Path) -> None:
    (config / "config.json").write_text('{"permissions": ')
    broken_ours = automode("import", "claude-code", "--yes")
    (config / "config.json").unlink()
    (home / ".claude" / "settings.json").write_text('{"permissions": {"deny": ["Read(')
    broken_theirs = automode("import", "claude-code", "--yes")

    assert broken_ours.exit_code == broken_theirs.exit_code == 2
    assert "config.json` was not changed" in broken_ours.stderr
    assert f"{home}/.claude/settings.json" in broken_theirs.stderr
    assert not (config / "config.json").exists()


def test_a_home_that_cannot_be_written_is_named(
    automode: Run, config: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, data: bytes) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(json_edit, "replace_file", refuse)

    done = automode("import", "claude-code", "--yes")

    assert done.exit_code == 2
    assert "config.json` cannot be written" in done.stderr
    assert not (config / "config.json").exists()
