"""`automode defaults`: the built-in policy, whole or by section."""

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from automode.policy.defaults import DEFAULTS, Section

Run = Callable[..., Result]


def test_every_rule_is_printed_as_a_bullet(automode: Run) -> None:
    lines = automode("defaults").stdout.splitlines()

    bullets = sum(line.startswith("- ") for line in lines)
    assert bullets == sum(len(rules) for rules in DEFAULTS.values())
    assert [line[3:] for line in lines if line.startswith("## ")] == [one.value for one in Section]


@pytest.mark.parametrize("section", [section.value for section in Section])
def test_one_section_can_be_chosen(automode: Run, section: str) -> None:
    data = json.loads(automode("defaults", section, "--json").stdout)

    assert list(data) == [section]
    assert len(data[section]) == len(DEFAULTS[Section(section)])
    assert set(data[section][0]) >= {"name", "covers", "excludes"}


def test_an_unknown_section_is_an_error_that_names_the_known_ones(automode: Run) -> None:
    result = automode("defaults", "nonsense")

    assert result.exit_code == 2
    assert "hard_deny" in result.stderr
