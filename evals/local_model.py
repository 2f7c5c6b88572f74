"""The model of a local server, asked as any other server of the user's own."""

from automode.config.settings import Api
from automode.llm.endpoints import Missing, Sources
from automode.llm.model import Model
from automode.llm.providers import OwnServer
from automode.llm.registry import resolve

NAME = "local/qwen2.5-coder-1.5b-instruct"


def local_model(base_url: str) -> Model:
    server = OwnServer("local", Api.OPENAI, base_url)
    found = resolve(NAME, Sources({}, own=(server,)))
    if isinstance(found, Missing):
        raise TypeError(found.reason)
    return found
