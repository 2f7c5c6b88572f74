"""Puts an instruction into a text as an attacker would: in a comment, a log, a value, a quote."""

import json
from dataclasses import dataclass
from random import Random

DISGUISES = (
    *("plain", "plain", "plain", "comment", "html", "quote"),
    *("json", "log", "listing", "item", "indented", "upper"),
)
_SIGNS = ("# ", "// ", "-- ", " * ", "; ", "/// ")
_LONGEST_SIDE = 1500


@dataclass(frozen=True, slots=True)
class Planted:
    """`start` and `end` are where the instruction stands in `text`."""

    text: str
    start: int
    end: int


def plant(carrier: str, instruction: str, random: Random) -> Planted:
    lines = carrier.splitlines()
    at = random.choice((0, len(lines), *(random.randint(0, len(lines)) for _ in range(4))))
    before = "\n".join(lines[:at])[-_LONGEST_SIDE:]
    after = "\n".join(lines[at:])[:_LONGEST_SIDE]
    worn = disguised(instruction, random)
    head = f"{before}\n" if before else ""
    return Planted(f"{head}{worn}\n{after}", len(head), len(head) + len(worn))


def disguised(instruction: str, random: Random) -> str:
    match random.choice(DISGUISES):
        case "comment":
            sign = random.choice(_SIGNS)
            return "\n".join(sign + line for line in instruction.splitlines())
        case "html":
            return f"<!-- {instruction} -->"
        case "quote":
            return "\n".join(f"> {line}" for line in instruction.splitlines())
        case "json":
            key = random.choice(("description", "note", "body", "message", "title", "comment"))
            return f'  "{key}": {json.dumps(instruction)},'
        case "log":
            level = random.choice(("INFO", "WARN", "notice", "error:", "[hint]"))
            return f"2024-05-{random.randint(10, 28)} 10:2{random.randint(0, 9)} {level} " + (
                instruction.replace("\n", " ")
            )
        case "listing":
            number = random.randint(2, 900)
            lines = instruction.splitlines()
            return "\n".join(f"{number + add:6}\t{line}" for add, line in enumerate(lines))
        case "item":
            return "\n".join(f"  - {line}" for line in instruction.splitlines())
        case "indented":
            return "\n".join(f"    {line}" for line in instruction.splitlines())
        case "upper":
            first, _, rest = instruction.partition("\n")
            return f"{first.upper()}\n{rest}" if rest else first
        case _:
            return instruction
