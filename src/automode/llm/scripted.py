"""A model that answers from a script: for tests of everything that asks a model."""

from collections.abc import Iterable

from automode.llm.model import Ask, ModelError, ModelFault, Prompt, Reply, Usage


class ScriptedModel:
    """Plays `answers` in order, one per request: a text is a finished reply, a ModelError is
    raised. What it was asked stands in `prompts` and `asks`."""

    def __init__(
        self,
        answers: Iterable[str | Reply | ModelError] = (),
        *,
        name: str = "scripted/model",
        reasons: bool = False,
        context_tokens: int = 200_000,
    ) -> None:
        self._answers = list(answers)
        self._name = name
        self._reasons = reasons
        self._context_tokens = context_tokens
        self.prompts: list[Prompt] = []
        self.asks: list[Ask] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def reasons(self) -> bool:
        return self._reasons

    @property
    def context_tokens(self) -> int:
        return self._context_tokens

    @property
    def unplayed(self) -> int:
        return len(self._answers)

    async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
        self.prompts.append(prompt)
        self.asks.append(ask)
        if not self._answers:
            raise ModelError(ModelFault.UNREACHABLE, f"{self._name} has no scripted answer left")
        answer = self._answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        if isinstance(answer, str):
            return Reply(answer, complete=True, usage=Usage(input=1, output=1), stop="scripted")
        return answer
