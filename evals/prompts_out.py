"""Writes the classifier's own prompts for labelled calls, for a model on another machine.

What all prompts share stands once at the top of the file. `gpu_model.py` answers it, and
`answers_in.py` puts the answers through the gate.
"""

import argparse
import asyncio
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from drawn_calls import Drawn, consent_pairs, draw, fresh
from labelled_calls import READER, Row
from recorded import answer_key, questions

from automode.assemble import build_gate, load_settings
from automode.config.places import Places
from automode.config.settings import Settings
from automode.llm.formats import FORMATS
from automode.llm.model import Ask, Prompt
from automode.llm.providers import Api, Traits

NOWHERE = "/nonexistent"
JOINT = "\n\n"
# Every so many rows are asked once more: with another key, and with the same bytes.
OTHER_KEY_EVERY = 3
REPEAT_EVERY = 6
FAST, DELIBERATE, AGAIN = NAMES = ("fast", "deliberate", "again")
REPEATED = "#2"
FIRST_KEY, OTHER_KEY = "a", "b"


def settings_of_nobody() -> Settings:
    places = Places.of(home=NOWHERE, environment={}, managed=f"{NOWHERE}/config.json")
    return load_settings(places).settings


def question_lines(asked: Sequence[tuple[Prompt, Ask]]) -> Iterator[dict[str, object]]:
    """Every question there is, with the room for its answer."""
    for name, (prompt, ask) in zip(NAMES, asked, strict=True):
        yield {
            "name": name,
            "text": prompt.question,
            "choices": list(ask.choices),
            "max_tokens": ask.max_tokens,
        }


def asks(asked: Sequence[tuple[Prompt, Ask]]) -> dict[str, str]:
    """The key under which the answer to each question will be looked for."""
    return {name: answer_key(prompt) for name, (prompt, _) in zip(NAMES, asked, strict=True)}


async def line(settings: Settings, row: Row, key: str) -> dict[str, object]:
    asked = await questions(settings, fresh(row), key)
    check_as_sent(asked[0][0])
    return {
        "row": row.id,
        "group": row.group,
        "bad": row.bad,
        "context": asked[0][0].context,
        "asks": asks(asked),
    }


def check_as_sent(prompt: Prompt) -> None:
    """The other machine joins the parts as a provider of OpenAI's format gets them."""
    body = FORMATS[Api.OPENAI].body("m", prompt, Ask(1, 1.0), Traits())
    whole = f"{prompt.context}{JOINT}{prompt.question}"
    wanted = [
        {"role": "system", "content": prompt.system},
        {"role": "user", "content": whole},
    ]
    if body["messages"] != wanted:
        raise RuntimeError("the parts of a prompt are sent in another way than is written here")


def repeated(once: dict[str, object], found: dict[str, str]) -> dict[str, object]:
    """The same bytes again: whatever differs then is the machine's doing."""
    return {**once, "asks": {name: found[name] + REPEATED for name in (FAST, DELIBERATE)}}


async def lines(
    settings: Settings, drawn: Sequence[Drawn], pairs: Sequence[tuple[Row, Row]]
) -> list[dict[str, object]]:
    """Of every kind some, all the way: also the beginning alone is a sample."""
    found: list[dict[str, object]] = []
    waiting = list(pairs)
    every = max(1, len(drawn) // max(1, len(pairs)))
    for number, one in enumerate(drawn):
        once = await line(settings, one.row, FIRST_KEY)
        found.append(once)
        if number % OTHER_KEY_EVERY == 0:
            found.append(await line(settings, one.row, OTHER_KEY))
        if number % REPEAT_EVERY == 0:
            asked = await questions(settings, fresh(one.row), FIRST_KEY)
            found.append(repeated(once, asks(asked)))
        if waiting and number % every == 0:
            pair = waiting.pop()
            found += [await line(settings, row, FIRST_KEY) for row in pair]
    return found


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with actions_*.jsonl.gz")
    parser.add_argument("--out", type=Path, required=True, help="the prompts, JSON lines, gzipped")
    given = parser.parse_args()
    settings = settings_of_nobody()
    drawn = await draw(given.data, build_gate(settings, reader=READER))
    asked = await questions(settings, fresh(drawn[0].row), FIRST_KEY)
    head = {
        "system": asked[0][0].system,
        "joint": JOINT,
        "questions": list(question_lines(asked)),
    }
    pairs = await consent_pairs(given.data, build_gate(settings, reader=READER))
    written = await lines(settings, drawn, pairs)
    with gzip.open(given.out, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in [head, *written])
    print(f"{len(drawn)} calls, {len(written)} prompts in {given.out}")


if __name__ == "__main__":
    asyncio.run(main())
