"""From a model's name to a model that can be asked, or to the reason why there is none."""

import os
from importlib.util import find_spec

from automode.llm.endpoints import NO_ADDRESS, Missing, Sources, endpoint
from automode.llm.gguf.model import GgufModel
from automode.llm.gguf.questions import model_file
from automode.llm.hosted import HostedModel, Wire
from automode.llm.model import Model, ModelFault
from automode.llm.providers import GGUF
from automode.llm.subscriptions import NOT_OFFERED, SUBSCRIPTIONS, Subscription, SubscriptionModel

NO_MODEL = Missing(
    ModelFault.UNKNOWN_MODEL,
    "no model is chosen: pick one with `automode model`, or set `autoMode.classifierModel`",
)


def resolve(
    classifier_model: str | None,
    sources: Sources,
    *,
    host_model: str | None = None,
    wire: Wire | None = None,
) -> Model | Missing:
    """The model that the settings choose, else the one the host's session runs on.

    A chosen model that cannot be used is not replaced by another: the user is told.
    """
    chosen = classifier_model or host_model
    if not chosen:
        return NO_MODEL
    provider, slash, model_id = chosen.partition("/")
    if not (provider and slash and model_id):
        return Missing(
            ModelFault.UNKNOWN_MODEL, f"`{chosen}` is not a model: write `provider/model-id`"
        )
    wire = wire or Wire(trust_environment=sources.trust_environment)
    if provider in NOT_OFFERED:
        return Missing(ModelFault.UNKNOWN_MODEL, NOT_OFFERED[provider])
    if provider in SUBSCRIPTIONS:
        return _subscription(SUBSCRIPTIONS[provider], model_id, sources, wire)
    found = endpoint(provider, sources)
    if found is NO_ADDRESS:
        return _file(model_id, wire)
    return found if isinstance(found, Missing) else HostedModel(found, model_id, wire)


def _subscription(
    agent: Subscription, model_id: str, sources: Sources, wire: Wire
) -> SubscriptionModel | Missing:
    """The program is the one that the person chose, never the first on some `PATH`: a repository
    can often set that."""
    command = next((server.command for server in sources.own if server.name == agent.name), "")
    again = f"run `automode model {agent.name}/{model_id}`"
    if not command:
        why = f"which `{agent.program}` to ask is not in your settings: {again}"
        return Missing(ModelFault.UNKNOWN_MODEL, why)
    if not os.access(command, os.X_OK):
        return Missing(ModelFault.UNKNOWN_MODEL, f"`{command}` is not a program any more: {again}")
    return SubscriptionModel(
        agent,
        model_id,
        command,
        sources.environment,
        sources.home or sources.environment.get("HOME", ""),
        sources.trust_environment,
        wire.programs,
    )


def _file(model_id: str, wire: Wire) -> GgufModel | Missing:
    file = model_file(model_id)
    if not file.path.startswith("/"):
        return Missing(
            ModelFault.UNKNOWN_MODEL,
            f"`{GGUF}/{model_id}` names no file: write its whole path, as in"
            f" `{GGUF}//models/judge.gguf`",
        )
    return files_missing() or GgufModel(file, wire.children)


def files_missing() -> Missing | None:
    """Why no model file can be asked here; None when they can."""
    if find_spec("xllamacpp") is not None:
        return None
    return Missing(
        ModelFault.UNKNOWN_MODEL,
        "a model file needs one more package: install automode again, with its extra `local-llm`",
    )
