"""The classifier's model as a person chooses it: by command, or inside an agent."""

import re

from automode.config.json_edit import set_text
from automode.config.keys import PROVIDERS
from automode.config.load import combine, read_file
from automode.config.places import Places
from automode.config.settings import Builtins, Settings, Source
from automode.core.errors import BadSettings
from automode.llm.providers import PROVIDERS as KNOWN
from automode.llm.providers import provider_named
from automode.llm.subscriptions import NOT_OFFERED

KEY = "autoMode.classifierModel"
NAME = re.compile(r"[^/\s]+/\S+")
_LIST = "`automode model` lists what can be chosen"


def check_choice(name: str, settings: Settings) -> None:
    """Raises BadSettings for what cannot be the name of a model here."""
    if not NAME.fullmatch(name):
        raise BadSettings(f"expected a name like `provider/model-id`, found: `{name[:80]}`", _LIST)
    provider = name.partition("/")[0]
    if provider in NOT_OFFERED:
        raise BadSettings(NOT_OFFERED[provider], _LIST)
    own = [server.name for server in settings.providers]
    if provider not in own and provider_named(provider) is None:
        known = ", ".join((*own, *KNOWN))
        raise BadSettings(
            f"no provider is called `{provider[:40]}`",
            f"known providers: {known}; add your own server to `autoMode.providers`",
        )


def save_choice(places: Places, name: str, program: str = "") -> str:
    """Writes the name, and for a subscription the path of its program, into the person's own file
    in which it takes effect: the strongest that names a model, else the first. Returns it."""
    file = places.user[0]
    for one in reversed(places.user):
        said = combine([read_file(Source.USER, one)], Builtins())
        if said.values[KEY].file or said.settings.unusable_model:
            file = one
            break
    if program:
        set_text(file, f"{PROVIDERS}.{name.partition('/')[0]}.command", program)
    set_text(file, KEY, name)
    return file
