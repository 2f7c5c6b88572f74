"""Answers written prompts with a model on a GPU; needs torch and transformers, nothing of ours.

Reads what `prompts_out.py` wrote. For each question it writes one JSON line: the answer, how likely
the wanted choices were as its first token, and the counts of tokens. Questions about one call share
the reading of it; answers are written greedily, many at a time. Run it again with the same output
file and it goes on where it stopped.
"""

import argparse
import gzip
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import torch  # type: ignore[import-not-found]
import transformers  # type: ignore[import-not-found]
from gpu_reader import Memory, Question, Reader, Slots, Written
from torch import Tensor

MOST_SLOTS = 192
SLOT_BYTES = 20e9
PROGRESS_ROWS = 100


@dataclass(frozen=True, slots=True)
class Row:
    """`tails` are the tokens after the part that all rows share, a list for each question."""

    asked: tuple[tuple[str, Question], ...]
    tails: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    context: str
    asks: dict[str, str]  # the key of the answer, by the name of the question


@dataclass(frozen=True, slots=True)
class Prompts:
    system: str
    joint: str  # stands between context and question
    questions: dict[str, Question]
    rows: tuple[Asked, ...]


class Model:
    """`weights`: a GGUF file, or a folder as transformers saves it."""

    def __init__(self, weights: Path) -> None:
        one_file = {"gguf_file": weights.name} if weights.is_file() else {}
        folder = weights.parent if weights.is_file() else weights
        gpu = torch.cuda.is_available()
        dtype = torch.bfloat16 if gpu else torch.float32
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **one_file)
        whole = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, **one_file)
        self.whole = whole.to("cuda" if gpu else "cpu").eval()
        self.reader = Reader(self.whole)
        self.ends = self._ends()

    def _ends(self) -> frozenset[int]:
        """What closes an answer: the model's own mark, and what its chat template puts there."""
        said = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "END?"}]
        rendered = self.tokenizer.apply_chat_template(said, tokenize=False)
        closing = self.tokenizer.encode(rendered.rpartition("END?")[2], add_special_tokens=False)
        own = self.whole.config.eos_token_id
        marks = own if isinstance(own, list) else [own]
        return frozenset({closing[0], self.tokenizer.eos_token_id, *marks} - {None})

    def chat(self, system: str, user: str) -> str:
        said = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return str(
            self.tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
        )

    def beginning(self, system: str) -> str:
        """The part of every chat that ends with a mark of the template, in front of the user's
        turn. Such a mark is a border for the tokenizer: what follows changes nothing before it."""
        before = self.chat(system, "USER?").rpartition("USER?")[0]
        marks = self.tokenizer.get_added_vocab()
        return before[: max(before.rfind(mark) + len(mark) for mark in marks if mark in before)]

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        found: list[list[int]] = self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        return found

    def spellings(self, choice: str) -> list[int]:
        """The first tokens of the ways to write a choice; a blank by itself begins anything."""
        firsts = {ids[0] for ids in self.tokens([choice, f" {choice}"])}
        return sorted(one for one in firsts if self.tokenizer.decode([one]).strip())


class Answers:
    def __init__(
        self, model: Model, shared: Sequence[int], room: int, most: int = MOST_SLOTS
    ) -> None:
        self.model = model
        _, self.shared = model.reader.read(self._ids([shared]), [])
        kept = sum(2 * k[0, :, 0].numel() * k.element_size() for k, _ in self.shared)
        count = max(1, min(most, int(SLOT_BYTES / (room * kept))))
        self.slots = Slots(model.reader, self.shared, count, room)
        self.spellings: dict[str, list[int]] = {}

    def of(self, rows: Iterable[Row]) -> Iterator[Written]:
        waiting = (found for row in rows for found in self._started(row))
        more = True
        while more or self.slots.busy:
            while more and self.slots.free:
                started = next(waiting, None)
                if started is None:
                    more = False
                elif started[0].done:
                    yield started[0]
                else:
                    self.slots.admit(*started)
            if self.slots.busy:
                yield from self.slots.step(self.model.ends)

    def _started(self, row: Row) -> Iterator[tuple[Written, Memory]]:
        """Each question with the first token of its answer, and the memory of what it asked."""
        common = min(alike(row.tails), min(map(len, row.tails)) - 1)
        context = self._context(row.tails[0][:common])
        ends = [tail[common:] for tail in row.tails]
        longest = max(map(len, ends))
        padded = self._ids([[*tail, *[0] * (longest - len(tail))] for tail in ends])
        hidden, made = self.model.reader.read(padded, context)
        last = torch.tensor([len(tail) - 1 for tail in ends], device=hidden.device)
        chances = self.model.reader.chances(hidden[torch.arange(len(ends)), last])
        begin = self.shared[0][0].shape[2]
        for number, (key, question) in enumerate(row.asked):
            first = int(chances[number].argmax())
            shares = self.shares(chances[number], question.choices)
            written = Written(key, question, begin + len(row.tails[number]), shares, [first])
            written.ended = first in self.model.ends
            own = [
                tuple(
                    torch.cat((old[0, :, begin:], new[number, :, : len(ends[number])]), 1)
                    for old, new in zip(before, after, strict=True)
                )
                for before, after in zip(context, made, strict=True)
            ]
            yield written, own

    def _context(self, ids: Sequence[int]) -> Memory:
        if not ids:
            return self.shared
        _, made = self.model.reader.read(self._ids([ids]), self.shared)
        return [
            tuple(torch.cat(pair, 2) for pair in zip(before, after, strict=True))
            for before, after in zip(self.shared, made, strict=True)
        ]

    def shares(self, chances: Tensor, choices: Sequence[str]) -> dict[str, float]:
        for choice in choices:
            if choice not in self.spellings:
                self.spellings[choice] = self.model.spellings(choice)
        return {one: float(chances[self.spellings[one]].exp().sum()) for one in choices}

    def _ids(self, lists: Sequence[Sequence[int]]) -> Tensor:
        return torch.tensor([list(ids) for ids in lists], device=self.model.reader.device)


def alike(lists: Sequence[Sequence[int]]) -> int:
    """How many first tokens all of them share."""
    ordered = sorted(map(list, lists))  # then the first and the last differ soonest
    pairs = zip(ordered[0], ordered[-1], strict=False)
    differing = (at for at, (one, other) in enumerate(pairs) if one != other)
    return next(differing, min(len(ordered[0]), len(ordered[-1])))


def written_prompts(path: Path, only: Sequence[str] | None = None) -> Prompts:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        head = json.loads(next(lines))
        questions = {
            one["name"]: Question(
                one["name"], one["text"], tuple(one["choices"]), one["max_tokens"]
            )
            for one in head["questions"]
            if only is None or one["name"] in only
        }
        asked = tuple(
            Asked(row["context"], {n: key for n, key in row["asks"].items() if n in questions})
            for row in map(json.loads, lines)
        )
        return Prompts(head["system"], head["joint"], questions, asked)


def rows(model: Model, prompts: Prompts, done: frozenset[str]) -> tuple[list[int], list[Row]]:
    """The tokens that all prompts share, and the rows with what follows them."""
    asked = [
        tuple((key, prompts.questions[name]) for name, key in asks.items() if key not in done)
        for asks in (row.asks for row in prompts.rows)
    ]
    beginning = model.beginning(prompts.system)
    texts = [
        model.chat(prompts.system, f"{row.context}{prompts.joint}{question.text}")
        for row, questions in zip(prompts.rows, asked, strict=True)
        for _, question in questions
    ]
    if not texts:
        return [], []
    tails = model.tokens([text.removeprefix(beginning) for text in texts])
    common = min(alike(tails), min(map(len, tails)) - 1)
    shared = [*model.tokens([beginning])[0], *tails[0][:common]]
    rest = iter(tuple(tail[common:]) for tail in tails)
    return shared, [
        Row(questions, tuple(next(rest) for _ in questions)) for questions in asked if questions
    ]


def line(model: Model, written: Written) -> str:
    said = written.ids[:-1] if written.ended else written.ids
    return json.dumps(
        {
            "key": written.key,
            "question": written.question.name,
            "text": model.tokenizer.decode(said),
            "ended": written.ended,
            "chances": written.chances,
            "prompt_tokens": written.prompt_tokens,
            "output_tokens": len(written.ids),
        }
    )


def known(out: Path) -> frozenset[str]:
    """The keys of the answers that are there; a line that was cut off is taken out."""
    text = out.read_text(encoding="utf-8") if out.exists() else ""
    whole = [one for one in text.splitlines(keepends=True) if one.endswith("\n")]
    out.write_text("".join(whole), encoding="utf-8")
    return frozenset(json.loads(one)["key"] for one in whole)


def answer(model: Model, prompts: Prompts, out: Path, seconds: float) -> None:
    shared, wanted = rows(model, prompts, known(out))
    if not wanted:
        return
    room = max(
        len(tail) + question.max_tokens
        for row in wanted
        for tail, (_, question) in zip(row.tails, row.asked, strict=True)
    )
    answers = Answers(model, shared, room)
    print(f"{len(wanted)} rows, {len(shared)} shared tokens, {len(answers.slots.held)} slots")
    with out.open("a", encoding="utf-8") as file:
        for written in answers.of(in_time(wanted, seconds)):
            file.write(line(model, written) + "\n")


def in_time(wanted: Sequence[Row], seconds: float) -> Iterator[Row]:
    """In the order of the file, until the time is used up: what was read is a fair sample."""
    start = time.monotonic()
    for number, row in enumerate(wanted):
        spent = time.monotonic() - start
        if spent > seconds:
            return
        if number % PROGRESS_ROWS == 0:
            print(f"{number} of {len(wanted)} rows read, {spent:.0f} s", flush=True)
        yield row


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompts", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True, help="a GGUF file or a folder")
    parser.add_argument("--questions", nargs="*", help="names; all when not given")
    parser.add_argument("--out", type=Path, required=True, help="answers; kept and added to")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no new row after this")
    return parser.parse_args()


def main() -> None:
    given = options()
    model = Model(given.weights)
    prompts = written_prompts(given.prompts, given.questions)
    with torch.inference_mode():
        answer(model, prompts, given.out, given.seconds)


if __name__ == "__main__":
    main()
