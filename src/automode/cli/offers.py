"""What is offered for a recorded call, and how it is shown: never less than what it covers."""

import json
from dataclasses import dataclass

from automode.cli.printing import labelled, one_line, say
from automode.core.record import Record


@dataclass(frozen=True, slots=True)
class Option:
    """Entries of one list. `beyond`: what they cover besides the call. `void`: why they would not
    have helped; one that `waits` would, once a model reads it."""

    key: str
    entries: tuple[str, ...]
    note: str
    beyond: str
    void: str = ""
    waits: bool = False

    @property
    def exact(self) -> bool:
        return not self.beyond


@dataclass(frozen=True, slots=True)
class Offer:
    record: Record
    options: tuple[Option, ...]
    remarks: tuple[str, ...]  # why there is not more

    @property
    def usable(self) -> tuple[Option, ...]:
        return tuple(option for option in self.options if not option.void)

    @property
    def alone(self) -> Option | None:
        """What may be written though nobody named it: it covers this call and no other."""
        return next((option for option in self.usable if option.exact), None)


def show(made: Offer) -> None:
    say(f"{made.record.id}  {one_line(f'{made.record.tool}  {made.record.action}', 70)}")
    for number, option in enumerate(made.options, start=1):
        say()
        say(f"{number}. in `{option.key}`: {option.note}")
        show_entries(option)
    for remark in made.remarks:
        if remark:
            labelled("note", remark, indent=0)
    if made.alone is not None:
        say()
        number = made.options.index(made.alone) + 1
        say(f"--write adds number {number} to your settings, --choice N another one")
    elif made.usable:
        say()
        say("none covers this call alone: --write --choice N adds the one that you name")


def show_entries(option: Option) -> None:
    for entry in option.entries:
        say(f"     {one_line(json.dumps(entry, ensure_ascii=False))}")
    if option.beyond:
        labelled("beyond", option.beyond, indent=3)
    if option.void:
        labelled("void", option.void, indent=3)


def limits(option: Option) -> dict[str, object]:
    return {"beyond": option.beyond or None, "void": option.void or None}


def offer_data(made: Offer) -> dict[str, object]:
    return {
        "record": made.record.id,
        "proposals": [
            {
                "key": option.key,
                "entries": list(option.entries),
                "note": option.note,
                "exact": option.exact,
                **limits(option),
            }
            for option in made.options
        ],
        "remarks": [remark for remark in made.remarks if remark],
    }
