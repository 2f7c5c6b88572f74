"""The senses of a running desk: what they say of switches and of agents' own records."""

import json
import subprocess
import sys
from pathlib import Path

from automode.facts.switches import Switch
from automode.sessions.sensing import live_senses, recorded_calls, switch_text


def test_switches_are_told_with_their_way_out_and_not_all_of_many() -> None:
    found = [Switch("x", f"/p/{n}", "hooks are off", "remove it") for n in range(5)]

    assert switch_text(()) == ""
    assert switch_text(found[:1]) == "`/p/0`: hooks are off; remove it"
    assert switch_text(found).endswith("and 2 more, see `automode doctor`")


def test_a_switch_in_a_project_is_seen_for_its_agent_alone(tmp_path: Path) -> None:
    settings = tmp_path / "project" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"disableAllHooks": True}))
    senses = live_senses(str(tmp_path), system=str(tmp_path))
    project = str(tmp_path / "project")

    assert str(settings) in senses.switched(project, "claude-code")
    assert senses.switched(project, "pi") == ""
    assert senses.switched(str(tmp_path / "nowhere"), "claude-code") == ""


def test_only_records_of_agents_that_are_known_to_keep_one_are_read(tmp_path: Path) -> None:
    record = tmp_path / "projects" / "p" / "s.jsonl"
    record.parent.mkdir(parents=True)
    record.write_text("")
    record.chmod(0o600)

    assert recorded_calls("plain", str(record)) is None
    assert recorded_calls("claude-code", str(record)) == ()
    assert recorded_calls("claude-code", str(tmp_path / "elsewhere")) is None


def test_a_process_that_decides_one_call_loads_no_patterns() -> None:
    code = "import sys, automode.assemble; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "automode.sessions.sensing" in done.stdout.split()
    assert "automode.probe.screening" not in done.stdout.split()
