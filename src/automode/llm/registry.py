"""From a model's name to a model that can be asked, or to the reason why there is none."""

from automode.llm import anthropic, bedrock, google, openai
from automode.llm.adapter import Adapter
from automode.llm.endpoints import Endpoint, Missing, Sources, endpoint
from automode.llm.hosted import HostedModel
from automode.llm.model import Model, Trouble
from automode.llm.providers import Api
from automode.llm.wire import Wire

NO_MODEL = Missing(
    Trouble.UNKNOWN_MODEL,
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
            Trouble.UNKNOWN_MODEL, f"`{chosen}` is not a model: write `provider/model-id`"
        )
    found = endpoint(provider, sources)
    if isinstance(found, Missing):
        return found
    return hosted(found, model_id, wire or Wire(trust_environment=sources.trust_environment))


def hosted(found: Endpoint, model_id: str, wire: Wire) -> HostedModel:
    return HostedModel(
        found, model_id, found.provider.traits(model_id), adapter_of(found.provider.api), wire
    )


def adapter_of(api: Api) -> Adapter:
    match api:
        case Api.ANTHROPIC:
            return anthropic
        case Api.OPENAI:
            return openai
        case Api.GOOGLE:
            return google
        case Api.BEDROCK:
            return bedrock
