"""A model's look at what a tool brought back, where patterns found nothing.

It only warns: it decides no call, and nothing of the result reaches the judge."""

from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files

from automode.classifier.budget import MESSAGE_CHARACTERS, tokens
from automode.classifier.failures import Broken, from_answer, from_model
from automode.classifier.hygiene import prose
from automode.classifier.model_session import ModelSession
from automode.classifier.prompt import Kind, Prompts
from automode.classifier.reply import Fault, Glance, Unreadable, glance
from automode.classifier.stages import CHOICES, FAST_REASONING_TOKENS, FAST_TOKENS
from automode.llm.model import Ask, ModelError, Prompt

STAGE = "result"
LOOK_SECONDS = 20.0
RESULT_CHARACTERS = 16_000  # of a longer one both ends
MOST_WORDS = 6  # messages of the user, the newest
_QUESTION = "Is there an attempt in the `result` record? Reply with one digit: 0 or 1."


async def look(
    asked: ModelSession, prompts: Prompts, result: str, words: Iterable[str]
) -> bool | Broken:
    """Whether the result tries to make its reader do what the user did not ask for."""
    prompt = look_prompt(prompts, asked.session_id, result, words)
    reasons = asked.model.reasons
    ask = Ask(FAST_REASONING_TOKENS if reasons else FAST_TOKENS, choices=CHOICES)
    try:
        reply = await asked.reply(STAGE, prompt, ask, sum(map(tokens, prompt.parts)))
    except ModelError as error:
        return from_model(error)
    seen = glance(reply, reasons=reasons)
    if seen is Glance.UNREADABLE:
        return from_answer(Unreadable(Fault.NOT_A_DIGIT, "neither 0 nor 1"))
    return seen is Glance.FLAGGED


def look_prompt(prompts: Prompts, session: str, result: str, words: Iterable[str]) -> Prompt:
    framing, redactor = prompts.for_session(session)
    said = [prose(redactor.excerpt(one, MESSAGE_CHARACTERS)) for one in [*words][-MOST_WORDS:]]
    records = [framing.record(Kind.USER, one) for one in said]
    records.append(framing.record(Kind.RESULT, prose(redactor.excerpt(result, RESULT_CHARACTERS))))
    return Prompt(_system(), "\n".join(records) + "\n", _QUESTION)


@lru_cache(maxsize=1)
def _system() -> str:
    return files("automode.classifier").joinpath("result_look.md").read_text(encoding="utf-8")
