"""Which stages run: what the settings say, as far as there is a model for it."""

from automode.classifier.stages import Stage, plan
from automode.config.settings import Settings
from automode.llm.endpoints import Missing
from automode.llm.gguf.model import GgufModel
from automode.llm.model import Model


def chosen_stages(settings: Settings, model: Model | Missing) -> tuple[Stage, ...]:
    """Without a model the embedded judge alone; a model file answers the first look only."""
    if isinstance(model, Missing) and not settings.classifier_model:
        return plan("local")
    stages = plan(settings.stages.value)
    if not isinstance(model, GgufModel):
        return stages
    return tuple(one for one in stages if one is not Stage.DELIBERATE) or (Stage.FAST,)
