"""How many calls of the last month a rule would have covered."""

import time

from automode.sessions.decision_service import DecisionService
from automode.sessions.rule_offers import ALLOW, Option, RuleOffers
from tests.sessions.service_setup import HOST, Judging, Setup, records

COMMANDS = {  # and how often each came
    "npm publish": 2,
    "npm publish --tag beta": 1,
    "npm publish; rm -r build": 1,
    "npm install": 3,
}


def offers(service: DecisionService) -> RuleOffers:
    assert service.offers is not None
    return service.offers


async def counted(service: DecisionService, rule: str, now: float) -> int | None:
    option = Option(ALLOW, (rule,), "", "")
    made = await service.store.run(lambda db: offers(service).count(db, option, now))
    return made.covered


async def test_calls_of_the_last_month_are_counted(setup: Setup) -> None:
    setup.layers = [Judging()]
    async with setup.open() as service:
        for command, times in COMMANDS.items():
            for _ in range(times):
                await service.decide(setup.bash(command), HOST)
        now = time.time()

        assert await counted(service, "bash(npm publish *)", now) == 3
        assert await counted(service, "bash(npm publish)", now) == 2
        assert await counted(service, "bash(cargo *)", now) == 0
        assert await counted(service, "bash(npm publish)", now + 40 * 86_400) == 0


async def test_the_narrowest_rule_comes_first_and_says_what_else_it_covers(setup: Setup) -> None:
    setup.layers = [Judging()]
    async with setup.open() as service:
        await service.decide(setup.bash("npm publish --ask-me"), HOST)
        [record] = await records(service)
        made = await offers(service).offer(record)

        entries = [(one.entries, one.exact) for one in made.options if one.key == ALLOW]
        assert entries == [
            (("bash(npm publish --ask-me)",), True),
            (("bash(npm publish *)",), False),
        ]
