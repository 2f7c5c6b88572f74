"""Every host is there twice, and every adapter keeps the contract."""

import pytest

from automode.agents.catalog import ADAPTERS, UNATTENDED
from automode.agents.events import Moment
from automode.core.errors import BadCall
from tests.rows import each_row

HOSTS = [name for name in ADAPTERS if not name.endswith(UNATTENDED)]


@each_row("host", HOSTS)
def test_a_host_is_known_by_its_name_attended_or_not(host: str) -> None:
    assert ADAPTERS[host].name == ADAPTERS[host + UNATTENDED].name == host


@each_row("name", ADAPTERS)
def test_an_adapter_closes_where_a_call_waits_and_nowhere_else(name: str) -> None:
    statuses = {moment: ADAPTERS[name].closed(moment, "no daemon").exit for moment in Moment}

    assert statuses.pop(Moment.PROPOSED) == 2
    assert set(statuses.values()) == {0}


@each_row("name", ADAPTERS)
def test_an_adapter_refuses_what_it_cannot_read(name: str) -> None:
    with pytest.raises(BadCall):
        ADAPTERS[name].parse({"something": "else"})


@each_row("name", ADAPTERS)
def test_a_hook_has_time_to_answer_before_its_agent_goes_on(name: str) -> None:
    assert 0 < ADAPTERS[name].abilities.deadline_ms < 60_000
