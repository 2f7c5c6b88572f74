"""Which model and which stages are in force: what the settings say, as far as it can be had."""

import time
from dataclasses import dataclass, field, replace

from automode.classifier.failures import from_model
from automode.classifier.model_session import Circuit
from automode.classifier.stages import Stage, plan
from automode.config.settings import Settings, Stages
from automode.llm.endpoints import Missing, Sources
from automode.llm.gguf.model import CLEAR, FLAGGED
from automode.llm.hosted import Wire
from automode.llm.model import Ask, Model, ModelError, ModelFault, Prompt, Reply
from automode.llm.providers import GGUF, SUBSCRIPTIONS, Api, OwnServer
from automode.llm.registry import NO_MODEL, resolve

_A_FILE = f"{GGUF}//"  # as the name of every model file begins: paths are whole


def chosen(
    settings: Settings, sources: Sources, host_model: str | None, wire: Wire | None
) -> Model | Missing:
    """The model that the settings choose, else the host's, else the reason why there is none.

    No choice is replaced by another: one that cannot be honoured is an outage until it can.
    """
    if settings.unusable_model:
        why = f"{settings.unusable_model}; correct it, or choose a model with `automode model`"
        return Missing(ModelFault.UNKNOWN_MODEL, why)
    if settings.classifier_model is None:
        sources = replace(sources, helper=None)  # its key is for the provider that a person chose
    model = resolve(settings.classifier_model, sources, host_model=host_model, wire=wire)
    if settings.fast_model is None or settings.stages in (Stages.DELIBERATE, Stages.LOCAL):
        return model
    file = resolve(settings.fast_model, replace(sources, helper=None), wire=wire)
    if isinstance(file, Missing) or settings.stages is Stages.FAST or model is NO_MODEL:
        return file
    if isinstance(model, Missing):
        return model
    if _looks_only(model):
        why = f"`{model.name}` takes the first look only: choose another `autoMode.classifierModel`"
        return Missing(ModelFault.REJECTED, f"{why}, or leave `autoMode.fastModel` out")
    return PrefilteredModel(file, model)


def trial_settings(settings: Settings, name: str, command: str) -> Settings:
    """As if the person had chosen the model called `name`, with `command` as its program. The key
    of a helper stays with the provider that it is for."""
    provider = name.partition("/")[0]
    now = (settings.classifier_model or "").partition("/")[0]
    own = settings.providers
    if command:
        program = OwnServer(provider, Api.OPENAI, "", None, command)
        own = (*(one for one in own if one.name != provider), program)
    return replace(
        settings,
        classifier_model=name,
        fast_model=None,
        unusable_model="",
        providers=own,
        api_key_helper=settings.api_key_helper if provider == now else None,
    )


def chosen_stages(settings: Settings, model: Model | Missing) -> tuple[Stage, ...]:
    """Without a model the embedded judge alone; a model file answers the first look only."""
    if isinstance(model, Missing) and not settings.chooses_model:
        return plan("local")
    stages = _automatic(model) if settings.stages is Stages.AUTO else plan(settings.stages.value)
    if isinstance(model, Missing) or not _looks_only(model):
        return stages
    return tuple(one for one in stages if one is not Stage.DELIBERATE) or (Stage.FAST,)


def _automatic(model: Model | Missing) -> tuple[Stage, ...]:
    """A subscription starts a program for every look, so the embedded judge takes the first."""
    subscribed = not isinstance(model, Missing) and model.name.partition("/")[0] in SUBSCRIPTIONS
    return (Stage.LOCAL, Stage.DELIBERATE) if subscribed else plan("both")


def _looks_only(model: Model) -> bool:
    """By its name: a wrapper around a model has the same one."""
    return model.name.startswith(_A_FILE)


# The model that decides must still have time when the file had none left.
SHARE_OF_TIME = 0.5


@dataclass(frozen=True, slots=True)
class PrefilteredModel:
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
            raise ModelError(ModelFault.REJECTED, refused.reason)
        try:
            short = replace(ask, timeout_seconds=ask.timeout_seconds * SHARE_OF_TIME)
            reply = await self.file.complete(prompt, short)
        except ModelError as error:
            self.circuit.record(self.file.name, from_model(error))
            # Of this question alone: the other one is still worth asking.
            raise ModelError(ModelFault.REJECTED, str(error)) from error
        self.circuit.record(self.file.name, None)
        return replace(reply, by=self.file.name)
