"""Two models as one: a model file takes the first look, another model decides what it leaves open.

The file can only clear. Whatever keeps it from answering leaves the call to the other model, so a
file that is being loaded, or that broke, costs time and money and never a judgement.
"""

import time
from dataclasses import dataclass, field, replace

from automode.classifier.circuit import Circuit
from automode.classifier.failures import from_model
from automode.llm.gguf.model import CLEAR, FLAGGED
from automode.llm.model import Ask, Model, ModelError, Prompt, Reply, Trouble

# The model that decides must still have time when the file had none left.
SHARE_OF_TIME = 0.5


@dataclass(frozen=True, slots=True)
class FirstLook:
    """A `Model`: that of `then`, but for the first look."""

    file: Model
    then: Model
    circuit: Circuit = field(default_factory=lambda: Circuit(time.monotonic))

    @property
    def name(self) -> str:
        return f"{self.then.name} after {self.file.name}"

    @property
    def reasons(self) -> bool:
        return self.then.reasons

    @property
    def context_tokens(self) -> int:
        return self.then.context_tokens

    async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
        if ask.choices != (CLEAR, FLAGGED):
            return replace(await self.then.complete(prompt, ask), by=self.then.name)
        # An outage of the file is not waited for at every call.
        refused = self.circuit.refusal(self.file.name)
        if refused is not None:
            raise ModelError(Trouble.REJECTED, refused.reason)
        try:
            short = replace(ask, timeout_seconds=ask.timeout_seconds * SHARE_OF_TIME)
            reply = await self.file.complete(prompt, short)
        except ModelError as error:
            self.circuit.heard(self.file.name, from_model(error))
            # Of this question alone: the other one is still worth asking.
            raise ModelError(Trouble.REJECTED, str(error)) from error
        self.circuit.heard(self.file.name, None)
        return replace(reply, by=self.file.name)
