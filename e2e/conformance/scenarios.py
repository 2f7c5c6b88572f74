"""The scenarios that every agent plays, as data: what is shown, how, and for whom it means nothing.

Each ends with the same question: did a call run that was not allowed?
"""

from collections.abc import Callable
from dataclasses import dataclass

from automode.agents.catalog import AGENTS
from conformance.driver import ScenarioDriver
from conformance.scenes import (
    confining,
    deciding,
    elsewhere,
    failing_gate,
    installing,
    mods,
    person,
    phone,
    sessions,
    subscriptions,
)
from conformance.signed_in import JUDGES
from conformance.trial import Trial


def _anybody(_agent: ScenarioDriver) -> str:
    return ""


def _with_sub_agents(agent: ScenarioDriver) -> str:
    return "" if "delegate" in agent.tools else f"{agent.name} has no sub-agents"


def _in_background(agent: ScenarioDriver) -> str:
    known = "delegate-and-wait" in agent.tools
    return "" if known else f"no sub-agent of {agent.name} is known to run in the background"


def _with_a_switch(agent: ScenarioDriver) -> str:
    return "" if agent.switch else f"no file of a project switches hooks off in {agent.name}"


def _with_mods(agent: ScenarioDriver) -> str:
    return "" if agent.mod_folders else f"no plug-in answers before the gate in {agent.name}"


def _that_confines(agent: ScenarioDriver) -> str:
    known = AGENTS[agent.name.removesuffix("-old")].abilities.confines
    return "" if known else f"no hook of {agent.name} changes a call"


def _with_more_answers(agent: ScenarioDriver) -> str:
    return "" if agent.screen.session else f"the dialog of {agent.name} has only yes and no"


def _as_a_judge(agent: ScenarioDriver) -> str:
    return "" if agent.name in JUDGES else f"{agent.name} cannot be the judge"


@dataclass(frozen=True, slots=True)
class Scenario:
    """`means_nothing`: why it does for an agent; empty where it means something."""

    id: str
    play: Callable[[Trial], None]
    means_nothing: Callable[[ScenarioDriver], str] = _anybody
    installed: bool = True  # whether automode is in the agent when the scene begins

    def why_not(self, agent: ScenarioDriver) -> str:
        """Why an agent cannot play it; empty where it can."""
        return agent.cannot.get(self.id, "") or self.means_nothing(agent)


SCENARIOS = (
    Scenario("allow-runs", deciding.allowed_call_runs),
    Scenario("deny-blocks", deciding.denied_call_does_not_run),
    Scenario("environment-tightens", deciding.environment_tightens),
    Scenario("confined", confining.call_runs_confined, means_nothing=_that_confines),
    Scenario("several-at-once", deciding.calls_of_one_turn_are_told_apart),
    Scenario("ask-unattended", deciding.nobody_answers_an_ask),
    Scenario("ask-from-elsewhere", elsewhere.answers_come_from_elsewhere),
    Scenario("ask-cancelled", elsewhere.cancelled_turn_waits_no_more),
    Scenario("ask-yes", person.person_says_yes),
    Scenario("ask-no", person.person_says_no),
    Scenario("phone-answers", phone.phone_answers),
    Scenario("ask-session", person.person_says_yes_for_the_session, _with_more_answers),
    Scenario("ask-why", person.person_says_why, _with_more_answers),
    Scenario("breaker-trips", deciding.third_denial_halts),
    Scenario("halt-ends-run", deciding.halt_ends_the_run),
    Scenario("halt-under-run", deciding.halt_is_told_by_run),
    Scenario("guidance", sessions.agent_is_guided),
    Scenario("prompt-is-users", sessions.prompt_is_the_users),
    Scenario("probe-warns", sessions.suspect_result_is_marked),
    Scenario("child-result-screened", sessions.child_result_is_screened, _with_sub_agents),
    Scenario("child-result-later", sessions.child_result_is_screened_later, _in_background),
    Scenario("child-gated", sessions.child_is_gated, means_nothing=_with_sub_agents),
    Scenario("switch-not-written", sessions.switch_is_not_written, means_nothing=_with_a_switch),
    Scenario("switch-refuses", sessions.switch_refuses_a_launch, means_nothing=_with_a_switch),
    Scenario("mod-not-planted", mods.mod_is_not_planted, means_nothing=_with_mods),
    Scenario("mod-stops", mods.mod_stops_a_session, means_nothing=_with_mods),
    Scenario("mod-under-run", mods.mod_answers_nothing_under_run, means_nothing=_with_mods),
    Scenario("silent-ends-turn", mods.silence_ends_the_turn, means_nothing=_with_mods),
    Scenario("overruled-ends-turn", mods.overruled_denial_ends_the_turn, means_nothing=_with_mods),
    Scenario("silent-bar", mods.bar_tells_of_silence, means_nothing=_with_mods),
    Scenario("daemon-killed", failing_gate.daemon_is_killed),
    Scenario("daemon-slow", failing_gate.daemon_hangs),
    Scenario("garbage-answer", failing_gate.daemon_talks_nonsense),
    Scenario("cancelled-turn", person.person_cancels_the_turn),
    Scenario("status-line", person.status_line_counts),
    Scenario("judged-by-itself", subscriptions.judged_by_itself, means_nothing=_as_a_judge),
    Scenario(
        "failing-judge", subscriptions.failing_judge_allows_nothing, means_nothing=_as_a_judge
    ),
    Scenario("leaves-no-trace", installing.leaves_no_trace, installed=False),
)
