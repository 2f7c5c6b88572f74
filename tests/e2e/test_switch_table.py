"""Rows of switches are read whole, or not at all; what they showed is kept and shown."""

from pathlib import Path

import pytest
from conformance.switch_play import Seen
from conformance.switch_results import Row, breaks, page, read, write
from conformance.switch_table import Kind, Switch, Way
from conformance.switch_table import read as read_table

from tests.rows import each_row

KIT = Path(__file__).parents[2] / "e2e"
SWITCHES = read_table(str(KIT / "switches.toml"))
RESULTS = read(str(KIT / "switches.json"))
HELD = Row("1.0", {Way.PLAIN: Seen.HELD, Way.GUARDED: Seen.HELD}, "")
OFF = Row("1.1", {Way.PLAIN: Seen.OFF, Way.GUARDED: Seen.CLOSED}, "problem")
SWITCH = Switch("pi", "one", Kind.PROJECT, "a setting")
LIMITED = Switch("pi", "two", Kind.FLAG, "a flag", limit={Way.PLAIN: "do not"})


def table(folder: Path, text: str) -> tuple[Switch, ...]:
    path = folder / "switches.toml"
    path.write_text(text)
    return read_table(str(path))


def test_a_row_says_what_is_set_and_how(tmp_path: Path) -> None:
    (found,) = table(
        tmp_path,
        '[pi.one]\nkind = "environment"\nwhat = "a variable"\nvariables = { A = "1" }\n'
        'tool = "sh"\ninput = \'{"run": "@command@"}\'\nlimit = { plain = "unset it" }\n',
    )

    assert (found.id, found.kind, found.variables) == ("pi:one", Kind.VARIABLE, {"A": "1"})
    assert found.call is not None
    assert found.call.given("touch x") == {"run": "touch x"}
    assert found.limit == {Way.PLAIN: "unset it"}


def test_a_key_that_no_row_has_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="kinds"):
        table(tmp_path, '[pi.one]\nkind = "environment"\nwhat = "a variable"\nkinds = "x"\n')


def test_what_was_seen_is_kept_and_read_again(tmp_path: Path) -> None:
    path = str(tmp_path / "switches.json")

    write(path, {"pi:one": HELD, "pi:two": OFF})

    assert read(path) == {"pi:one": HELD, "pi:two": OFF}


def test_a_gate_that_is_off_breaks_the_rule_unless_a_limit_says_so() -> None:
    assert not breaks(SWITCH, HELD)
    assert breaks(SWITCH, OFF)
    assert not breaks(LIMITED, OFF)


def test_the_page_says_what_happens_and_with_which_version() -> None:
    text = page([SWITCH, LIMITED], {"pi:one": HELD, "pi:two": OFF})

    assert "| project settings | a setting | gate holds | gate holds |  |  |  |" in text
    assert "| command line | a flag | **gate off** | nothing runs |  | problem | do not |" in text
    assert "Seen with 1.0, 1.1." in text


def test_another_outcome_is_a_change_and_another_version_is_none() -> None:
    assert HELD.same(Row("2.0", HELD.ways, ""))
    assert not HELD.same(OFF)


@each_row("switch", SWITCHES)
def test_every_row_was_played_and_none_breaks_the_rule(switch: Switch) -> None:
    assert not breaks(switch, RESULTS[switch.id])


def test_no_result_is_kept_of_a_row_that_is_gone() -> None:
    assert set(RESULTS) == {one.id for one in SWITCHES}
