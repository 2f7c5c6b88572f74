"""A session is recorded with its folder before each call, and decided again on it."""

import io
from pathlib import Path

import pytest

from evals.live_sessions import main


def test_a_recorded_session_is_decided_again_on_the_files_of_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / "cart.txt").write_text("one\n")
    monkeypatch.setenv("RECORDING", str(tmp_path / "recording"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "old").write_text("one\n")
    (tmp_path / "new").write_text("two\n")

    main(["start", str(project)])
    main(["say", "please look at the cart"])
    main(["run", "cat cart.txt"])
    main(["edit", "cart.txt", str(tmp_path / "old"), str(tmp_path / "new")])
    monkeypatch.setattr("sys.stdin", io.StringIO("three\n"))
    main(["write", "list.txt"])
    main(["run", "git push --force; rm cart.txt"])
    capsys.readouterr()

    main(["replay", str(tmp_path / "recording")])

    printed = capsys.readouterr().out
    assert "recording: 1 of 4 asked or denied" in printed
    assert "git push --force" in printed
    assert sorted(one.name for one in project.iterdir()) == ["list.txt"]
    kept = tmp_path / "recording" / "before"
    assert (kept / "1" / "cart.txt").read_text() == "one\n"
    assert (kept / "3" / "cart.txt").read_text() == "two\n"


def test_an_edit_needs_its_text_exactly_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/a.txt").write_text("x x")
    (tmp_path / "old").write_text("x")
    monkeypatch.setenv("RECORDING", str(tmp_path / "recording"))
    main(["start", str(tmp_path / "shop")])

    with pytest.raises(SystemExit, match="exactly once"):
        main(["edit", "a.txt", str(tmp_path / "old"), str(tmp_path / "old")])
