"""The settings in force here: what is wrong with them, and whether a model can judge."""

import asyncio
import os

from automode.assemble import chosen_model, embedded_judge
from automode.config.diagnostics import Diagnostic, Level
from automode.config.load import Loaded
from automode.core.session import Mode
from automode.doctor.case import Case
from automode.doctor.finding import Finding, fine, problem, warning
from automode.judge.embedded import BadModel
from automode.llm.endpoints import Missing
from automode.llm.model import Ask, Model, ModelError, Prompt

MOST_SHOWN = 10
REPLY_TOKENS, REASONING_TOKENS = 16, 512
_PROMPT = Prompt(system="Answer with one digit.", context="None.", question="Answer 0.")


def check_settings(case: Case) -> list[Finding]:
    return [_mode(case.loaded), *_diagnostics(case.loaded), *check_model(case)]


def _mode(loaded: Loaded) -> Finding:
    settings = loaded.settings
    if not settings.enabled:
        says = "auto mode is off in the settings: agents run as without automode"
        return warning("mode", says, "automode config; then set `autoMode.enabled` to true")
    if settings.mode is not Mode.ENFORCE:
        says = f"`{settings.mode.value}` in the settings: calls are decided, nothing is applied"
        return warning("mode", says, "automode config; then set `autoMode.mode` to `enforce`")
    return fine("mode", settings.mode.value)


def _diagnostics(loaded: Loaded) -> list[Finding]:
    found = [one for one in loaded.diagnostics if one.level is not Level.NOTE]
    if not found:
        return [fine("settings", f"{len(loaded.sources)} places read, nothing wrong")]
    shown = [_finding(one) for one in found[:MOST_SHOWN]]
    left = len(found) - len(shown)
    return [*shown, warning("settings", f"and {left} more", "automode status")] if left else shown


def _finding(one: Diagnostic) -> Finding:
    serious = one.closes or one.level is Level.ERROR
    closes = "; nothing is allowed without a person until then" if one.closes else ""
    fix = f"${{EDITOR:-vi}} {one.file}" if os.path.isabs(one.file) else "automode status"
    return (problem if serious else warning)("settings", f"{one}{closes}", fix)


def check_model(case: Case) -> list[Finding]:
    found = chosen_model(case.loaded.settings, case.site.environment)
    if isinstance(found, Missing) and not case.loaded.settings.chooses_model:
        return [_embedded(case)]
    if isinstance(found, Missing):
        says = f"{found.reason}; what no rule decides is asked, or denied with nobody there"
        return [warning("model", says, "automode model")]
    if not case.online:
        says = f"{found.name} is configured; whether it answers was not tried"
        return [warning("model", says, "automode doctor --online")]
    return [asyncio.run(_tried(found, case.loaded.settings.classifier_timeout_ms / 1000))]


def _embedded(case: Case) -> Finding:
    judge = embedded_judge(case.loaded.settings)
    if isinstance(judge, BadModel):
        says = f"{judge}; what no rule decides is asked, or denied with nobody there"
        return problem("model", says, judge.hint)
    says = f"none is chosen: the embedded judge (version {judge.model.version}) decides"
    return fine("model", says)


async def _tried(model: Model, seconds: float) -> Finding:
    room = REASONING_TOKENS if model.reasons else REPLY_TOKENS
    try:
        await model.complete(_PROMPT, Ask(room, seconds, choices=("0", "1")))
    except ModelError as error:
        says = f"{model.name} does not answer: {error}"
        return problem("model", says, "automode model --test")
    return fine("model", f"{model.name} answers")
