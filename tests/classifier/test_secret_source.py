"""The table of secret formats is what `make secrets` makes of a pinned release, and nothing is lost
on the way without being said."""

import json
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.classifier.secret_formats import find_secrets
from tests.rows import each_row, rows

ROOT = Path(__file__).parents[2]

left_out = import_module("tools.sources.left_out")
translation = import_module("tools.sources.translation")
secret_patterns = import_module("tools.sources.secret_patterns")
Untranslatable = import_module("tools.sources.regex_tree").Untranslatable

TABLE = ROOT / "src" / "automode" / "classifier" / "secret_formats.json"
ASCII = st.characters(codec="ascii")
FRAME = r"""(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"""
AFTER = r"""(?:\\?['"\x60]|[\s;]|\\[nr]|$)"""


def written_out(pattern: str) -> str:
    return pattern.replace("<FRAME>", FRAME).replace("<AFTER>", AFTER)


@each_row("pattern, kind, marks, patterns", rows("classifier", "secret-rules"))
def test_a_rule_becomes_a_row(
    pattern: str, kind: str, marks: list[str], patterns: list[str]
) -> None:
    row = translation.translated(written_out(pattern))

    assert (row.kind, [*row.marks]) == (kind, marks)
    assert not patterns or [*row.patterns] == patterns


@each_row("pattern, reason", rows("classifier", "secret-rules-refused"))
def test_what_cannot_be_said_in_a_row_is_refused(pattern: str, reason: str) -> None:
    with pytest.raises(Untranslatable, match=reason):
        translation.translated(pattern)


@each_row("pattern", [row[0] for row in rows("classifier", "secret-rules") if row[1] != "named"])
def test_a_row_fits_whatever_its_rule_fits(pattern: str) -> None:
    row = re.compile(translation.translated(written_out(pattern)).patterns[0], re.ASCII)
    rule = re.compile(translation.python_syntax(written_out(pattern)), re.ASCII)

    @given(st.from_regex(rule, fullmatch=True, alphabet=ASCII))
    def check(text: str) -> None:
        assert row.search(text)

    check()


def listing(*more: dict[str, str]) -> list[dict[str, str]]:
    known = [{"id": f"betterleaks.{name}", "pattern": "x"} for name in left_out.LEFT_OUT]
    return [*known, *more]


BROKEN: tuple[tuple[object, str], ...] = (
    ([{"id": "betterleaks.one", "pattern": "abc_[a-z]{20}"}], "not in the source any more"),
    (listing({"id": "betterleaks.new", "pattern": "[a-z]{9}"}), "new: nothing literal"),
    (listing({"id": "betterleaks.bad", "pattern": "abc_[a-z"}), "bad: unterminated"),
    (listing({"id": "elsewhere.new", "pattern": "abc_[a-z]{20}"}), "elsewhere.new"),
    (listing({"id": "betterleaks.new"}), "betterleaks.new"),
    ([], "lists no rules"),
    ({"rules": []}, "lists no rules"),
)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    ask = (sys.executable, "-m", "tools.sources.secret_patterns", *arguments)
    return subprocess.run(ask, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("rules", "said"), BROKEN, ids=[said for _, said in BROKEN])
def test_a_source_that_is_not_understood_stops_the_script(
    tmp_path: Path, rules: object, said: str
) -> None:
    before = TABLE.read_bytes()
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(rules))

    done = run("--rules", str(path))

    assert done.returncode == 1
    assert said in done.stderr
    assert TABLE.read_bytes() == before


def test_a_table_from_other_rules_is_out_of_date(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(listing({"id": "betterleaks.one", "pattern": "abc_[a-z]{20}"})))

    done = run("--rules", str(path), "--check")

    assert (done.returncode, "out of date" in done.stderr) == (1, True)


def test_the_table_names_the_release_that_is_pinned() -> None:
    source = json.loads(TABLE.read_text())["source"]

    assert (source["package"], source["version"]) == ("kingfisher-bin", secret_patterns.pinned())
    assert source["left out"] == len(left_out.LEFT_OUT)
    assert re.fullmatch("[0-9a-f]{64}", source["sha256 of its rules"])
    assert "--hash=sha256:" in (ROOT / "tools/sources" / "requirements.txt").read_text()


def test_every_rule_is_left_out_for_one_reason_only() -> None:
    named = [rule for _, rules in left_out.REASONS for rule in rules.split()]

    assert sorted(named) == sorted(set(named))


@cache
def rules_at_hand() -> dict[str, str]:
    """The rules of the pinned release that are taken over."""
    try:
        installed = version("kingfisher-bin")
    except PackageNotFoundError:
        installed = "not installed"
    if installed != secret_patterns.pinned():
        pytest.skip(f"NO SOURCE OF SECRET PATTERNS: {installed}; run `make secrets`")
    every: dict[str, str] = secret_patterns.rules_of(secret_patterns.listed_rules())
    return {name: rule for name, rule in every.items() if name not in left_out.LEFT_OUT}


def test_the_table_is_what_the_script_makes_of_the_pinned_source() -> None:
    assert rules_at_hand()
    done = run("--check")

    assert (done.returncode, done.stderr) == (0, "")


def test_what_fits_a_rule_of_the_source_is_found() -> None:
    rules = rules_at_hand()

    @given(st.data(), st.sampled_from(sorted(rules)))
    def check(data: st.DataObject, name: str) -> None:
        rule = re.compile(translation.python_syntax(rules[name]), re.ASCII)
        text = data.draw(st.from_regex(rule, fullmatch=True, alphabet=ASCII))
        assert find_secrets(text) or not re.search(r"[0-9]|.[A-Z]", text), name

    check()
