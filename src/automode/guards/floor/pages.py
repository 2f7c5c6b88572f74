"""The documentation pages of the guards, made from the guards themselves."""

from collections.abc import Mapping

from automode.guards.floor.layer import GUARDS
from automode.guards.guard import Guard


def guard_pages() -> Mapping[str, str]:
    """Page text by path below `docs/reference/`."""
    pages = {"guards.md": _index()}
    for guard in GUARDS:
        pages[f"guards/{guard.id}.md"] = _page(guard)
    return pages


def _index() -> str:
    rows = [f"| [`{guard.id}`](guards/{guard.id}.md) | {guard.reason} |" for guard in GUARDS]
    return "\n".join(
        (
            "# Guards",
            "",
            "The floor denies what these guards see. Nobody may permit it: no rule, no approval,",
            "no classifier. A decision of a guard has the source `floor.` and the guard's id.",
            "This page and the pages behind it are made from the guards; edit those.",
            "",
            "| guard | what it stops |",
            "| --- | --- |",
            *rows,
            "",
        )
    )


def _page(guard: Guard) -> str:
    return "\n".join(
        (
            f"# `{guard.id}`",
            "",
            guard.about,
            "",
            f"- reason: {guard.reason}",
            f"- advice: {guard.advice}",
            "",
            "Stops:",
            "",
            *_examples(guard.stops),
            "",
            "Lets pass (other layers still decide):",
            "",
            *_examples(guard.passes),
            "",
        )
    )


def _examples(examples: tuple[str, ...]) -> tuple[str, ...]:
    return ("```text", *examples, "```")
