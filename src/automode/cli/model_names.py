"""The names of models that a shell can complete."""

import click
from click.shell_completion import CompletionItem

from automode.cli.model_picker import priced
from automode.llm.prices import TABLES, known_models


def complete_model(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The models of the price table; other names are models too, so this only suggests. No key is
    looked for: completing a word must not open a keyring."""
    started, slash, _ = incomplete.partition("/")
    fitting = [name for name in TABLES if (name == started if slash else name.startswith(started))]
    return [
        CompletionItem(model.name, help=priced(model))
        for provider in fitting
        for model in known_models(provider)
        if model.name.startswith(incomplete)
    ]
