"""`automode denials --propose`: the rule that would cover a recorded call, tried on the gate."""

import asyncio
import json
import sys
from functools import partial

from automode.assemble import READER, build_gate
from automode.cli.daemon import refuse_agents
from automode.cli.options import Surroundings
from automode.cli.printing import attributes, one_line, say, say_json, say_rows, tell, wants_json
from automode.core.errors import BadCall
from automode.sessions.rule_offers import Offer, Option, RuleOffers, write_entries
from automode.store.open import reading
from automode.store.tables import record as stored_record


def show(made: Offer) -> None:
    say(f"{made.record.id}  {one_line(f'{made.record.tool}  {made.record.action}', 70)}")
    for number, option in enumerate(made.options, start=1):
        say()
        say(f"{number}. in `{option.key}`: {option.note}")
        show_entries(option)
    say_rows(("note", remark) for remark in made.remarks)
    if made.alone is not None:
        number = made.options.index(made.alone) + 1
        say(f"\n--write adds number {number} to your settings, --choice N another one")
    elif made.usable:
        say("\nnone covers this call alone: --write --choice N adds the one that you name")


def show_entries(option: Option) -> None:
    for entry in option.entries:
        say(f"     {one_line(json.dumps(entry, ensure_ascii=False))}")
    say_rows([("beyond", option.beyond), ("void", option.void)], indent=3)


EXIT_NOTHING = 1


def offers_of(surroundings: Surroundings) -> RuleOffers:
    return RuleOffers(
        lambda root: surroundings.load(root).settings,
        partial(build_gate, folders=surroundings.own_folders()),
        partial(surroundings.places, None),
        READER,
    )


def propose_rule(
    surroundings: Surroundings, wanted: str, choice: int | None, *, write: bool
) -> None:
    with reading(surroundings.known_state(), surroundings.store()) as db:
        found = stored_record(db, wanted)
    if found.record is None:
        raise BadCall(f"the content of record `{found.id}` was purged", "nothing can be proposed")
    made = asyncio.run(offers_of(surroundings).offer(found.record))
    if write:
        _write(surroundings, made, choice)
        return
    options = [attributes(one, "key entries note exact beyond? void?") for one in made.options]
    remarks = [remark for remark in made.remarks if remark]
    data = {"record": made.record.id, "proposals": options, "remarks": remarks}
    tell(data, lambda: show(made))
    if not made.usable:
        sys.exit(EXIT_NOTHING)


def _write(surroundings: Surroundings, made: Offer, choice: int | None) -> None:
    option = _choose(made, choice)
    if option is None:
        if not wants_json():
            show(made)
        if made.usable:
            raise BadCall(
                "nothing was written: no proposal covers this call alone",
                "name one with --choice N; without --write each says what it covers beyond it",
            )
        reasons = dict.fromkeys((*made.remarks, *(one.void for one in made.options)))
        raise BadCall("there is nothing to write", "; ".join(text for text in reasons if text))
    refuse_agents(surroundings.known_state())
    place = write_entries(surroundings.places(None), option.key, option.entries)
    if wants_json():
        file, _, line = place.rpartition(":")
        written = {"file": file, "line": int(line)}
        say_json(written | attributes(option, "key entries beyond? void?"))
        return
    say(f"added to `{option.key}` in {place}: {option.note}")
    show_entries(option)


def _choose(made: Offer, choice: int | None) -> Option | None:
    if choice is None:
        return made.alone
    if choice > len(made.options):
        why = "; ".join(remark for remark in made.remarks if remark)
        raise BadCall(f"there is no proposal {choice}", why or "look at them without --write")
    option = made.options[choice - 1]
    if option.void and not option.waits:
        raise BadCall(f"proposal {choice} is void: {option.void}", "choose another one")
    return option
