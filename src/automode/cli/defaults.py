"""`automode defaults`: the built-in prose policy."""

import click

from automode.cli.printing import heading, say, say_json, wrapped
from automode.policy.defaults import Section, as_data, texts


@click.command()
@click.argument(
    "section", type=click.Choice([section.value for section in Section]), required=False
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def defaults(section: str | None, *, as_json: bool) -> None:
    """Print the built-in prose policy: all of it, or one SECTION."""
    chosen = list(Section) if section is None else [Section(section)]
    if as_json:
        data = as_data()
        say_json({one.value: data[one.value] for one in chosen})
        return
    for at, one in enumerate(chosen):
        if at:
            say()
        heading(f"## {one.value}")
        say()
        _show_bullets(texts(one))


def _show_bullets(bullets: tuple[str, ...]) -> None:
    for text in bullets:
        first, *rest = wrapped(text, 2)
        say(f"- {first}")
        for line in rest:
            say(f"  {line}")
