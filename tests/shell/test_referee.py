"""Bash itself as referee: where our reading is complete, bash sees the same commands."""

import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from automode.facts.reader import _Parser
from automode.shell.syntax import Assign, Loop, Node, Parts, Redir, Simple, Sub, Text, Unread

pytestmark = pytest.mark.real

HERE = Path(__file__).parent
MUTANTS_PER_SCRIPT = 4
EXPANDED = "\0expanded"  # a word that holds an expansion: only that it does is compared
_LIVE = re.compile(r"\$[A-Za-z0-9_({\[?!#$@*-]|`")


def corpus() -> list[str]:
    """One script per line; `⏎` stands for the end of a line inside a script."""
    lines = (HERE / "corpus.txt").read_text(encoding="utf-8").splitlines()
    return [line.replace("⏎", "\n") for line in lines if line.strip()]


def mutants(scripts: list[str], count: int, seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    letters = "'\"\\$`(){}[]<>|&;#!*?~=+-, \t\n0a:/^@%"
    for script in scripts:
        for _ in range(count):
            at = chance.randrange(len(script) + 1)
            letter = chance.choice(letters)
            yield chance.choice(
                [
                    script[:at] + letter + script[at:],
                    script[:at] + script[at + 1 :],
                    script[:at] + letter + script[at + 1 :],
                    script[:at],
                    script[:at] + "\\\n" + script[at:],
                    script.replace("\n", " ", 1),
                    script.replace(" ", "\n", 1),
                    script.replace("'", '"') if chance.random() < 0.5 else script.replace('"', "'"),
                    script[:at] + script[at:][::-1][:3] + script[at:],
                ]
            )


class Bash:
    """Bash's trees, asked for in one go."""

    def trees(self, scripts: list[str]) -> list[object]:
        answers: list[object] = []
        while len(answers) < len(scripts):
            asked = "".join(json.dumps(script) + "\n" for script in scripts[len(answers) :])
            done = subprocess.run(
                [sys.executable, str(HERE / "bash_tree.py")],
                input=asked,
                capture_output=True,
                text=True,
                check=False,
            )
            answers += [json.loads(line) for line in done.stdout.splitlines()]
            if len(answers) < len(scripts):
                answers.append(None)  # it ended the process: as good as a rejection
        return answers


def rejected(scripts: list[str]) -> list[bool]:
    """Which scripts `bash -n` does not accept, by one bash for all of them."""
    loop = 'while IFS= read -r -d "" s; do bash --norc -n -c -- "$s" >/dev/null 2>&1; echo $?; done'
    feed = "".join(script + "\0" for script in scripts)
    done = subprocess.run(
        ["bash", "--norc", "-c", loop], input=feed.encode(), capture_output=True, check=True
    )
    return [line != b"0" for line in done.stdout.split()]


# What bash sees


def seen_by_bash(tree: object) -> Iterator[tuple[str, ...]]:
    """Simple commands, `for` lists and redirects, after quote removal and before expansion."""
    if isinstance(tree, list):
        for item in tree:
            yield from seen_by_bash(item)
    elif isinstance(tree, dict):
        if tree.get("type") == "simple":
            yield from _bash_command([word["word"] for word in tree["value"]["words"]])
        elif tree.get("type") == "for" and tree["value"]["map_list"] is not None:
            listed = [bash_word(word["word"]) for word in tree["value"]["map_list"]]
            if tree["value"]["map_list"] and listed != [EXPANDED]:
                yield ("for", tree["value"]["name"]["word"], *listed)
        elif "instruction" in tree:
            yield _bash_redirect(tree)
        for value in tree.values():
            yield from seen_by_bash(value)


def _bash_command(words: list[str]) -> Iterator[tuple[str, ...]]:
    command: list[str] = []
    for raw in words:
        found = re.match(r"([A-Za-z_]\w*)(\[.*?\])?(\+?=)", raw, re.DOTALL)
        if found and not command:
            if raw[found.end() :].startswith("(") or found[2]:
                yield ("=", found[1], "array")
            else:
                yield ("=", found[1] + found[3], bash_word(raw[found.end() :]))
        else:
            command.append(bash_word(raw))
    if command:
        yield ("run", *command)


def _bash_redirect(tree: dict[str, dict[str, dict[str, str]]]) -> tuple[str, ...]:
    op = str(tree["instruction"]).replace("$", "").replace("<<-", "<<")
    if op in ("<&-", ">&-"):
        return ("&", "-")
    name = tree["redirectee"].get("filename")
    if name is None:
        return (op, str(tree["redirectee"]["dest"]))
    if op == "<<":
        return (op, _heredoc(name["word"]))
    return (op, bash_word(name["word"]))


def _heredoc(body: str) -> str:
    return EXPANDED if any(mark in body for mark in "$`\\") else body


def bash_word(raw: str) -> str:
    """`raw` without its quotes, or EXPANDED. Written apart from `shell.syntax` on purpose."""
    out: list[str] = []
    at = 0
    while at < len(raw):
        char = raw[at]
        if raw.startswith("$'", at) or char == "'":
            start = at + (2 if char == "$" else 1)
            found = re.compile(r"(?:\\.|[^'\\])*'" if char == "$" else r"[^']*'", re.DOTALL)
            match = found.match(raw, start)
            if match is None or (char == "$" and "\\" in match[0]):
                return EXPANDED  # decoding escapes is the business of other tests
            out.append(match[0][:-1])
            at = match.end()
        elif char == '"' or raw.startswith('$"', at):
            match = re.compile(r'"((?:\\.|[^"\\])*)"', re.DOTALL).match(raw, raw.index('"', at))
            if match is None or _LIVE.search(re.sub(r"\\.", "", match[1], flags=re.DOTALL)):
                return EXPANDED
            out.append(re.sub(r'\\([$`"\\])', r"\1", match[1].replace("\\\n", "")))
            at = match.end()
        elif char == "\\" and at + 1 < len(raw):
            out.append(raw[at + 1].replace("\n", ""))
            at += 2
        elif _LIVE.match(raw, at) or raw.startswith(("<(", ">("), at):
            return EXPANDED
        else:
            out.append(char)
            at += 1
    return "".join(out)


# What we see


def seen_by_us(node: object) -> Iterator[tuple[str, ...]]:
    """The same from our syntax tree, words' insides left out."""
    if isinstance(node, Simple):
        yield from (_our_assign(assign) for assign in node.assigns)
        yield from _our_command(node.words)
    elif isinstance(node, Loop) and node.words:
        listed = [our_word(word) for word in node.words]
        if listed != [EXPANDED]:
            yield ("for", node.variable, *listed)
    elif isinstance(node, Redir):
        yield _our_redirect(node)
    if not isinstance(node, Sub | Text):
        for item in _below(node):
            yield from seen_by_us(item)


def _below(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        yield from node
    elif is_dataclass(node):
        yield from (getattr(node, field.name) for field in fields(node))


def _our_command(words: tuple[Parts, ...]) -> Iterator[tuple[str, ...]]:
    if words[:1] == ((Text("time"),),):  # bash's grammar takes it for a keyword
        words = words[1:]
        words = words[words[:1] == ((Text("-p"),),) :]
        words = words[words[:1] == ((Text("--"),),) :]
    if words:
        yield ("run", *(our_word(word) for word in words))


def _our_assign(assign: Assign) -> tuple[str, ...]:
    if assign.array or assign.index:
        return ("=", assign.name, "array")
    return ("=", assign.name + ("+=" if assign.appends else "="), our_word(assign.value))


def _our_redirect(redir: Redir) -> tuple[str, ...]:
    target = our_word(redir.target)
    if redir.op in ("<&", ">&") and target.endswith("-"):
        return ("&", "-")
    if redir.op in ("<&", ">&") and target.isdigit():
        target = str(int(target))
    return (redir.op, _heredoc(target) if redir.op == "<<" else target)


def our_word(parts: Parts) -> str:
    if not all(isinstance(part, Text) for part in parts):
        return EXPANDED
    return "".join(part.value for part in parts if isinstance(part, Text))


def agreed(script: str) -> Node | None:
    """The tree both parsers agree on; None where anything about it is not understood."""
    parsed = _Parser(both=True).parse(script)
    if parsed.gap or len(parsed.nodes) > 1 or _unread(parsed.nodes[0]):
        return None
    return parsed.nodes[0]


def _unread(node: object) -> bool:
    if isinstance(node, Unread):
        return True
    return any(_unread(item) for item in _below(node))


def differences(scripts: list[str]) -> Iterator[str]:
    readings = [agreed(script) for script in scripts]
    read = [(s, node) for s, node in zip(scripts, readings, strict=True) if node is not None]
    trees = Bash().trees([script for script, _ in read])
    refused = rejected([script for script, _ in read])
    for (script, node), tree, bad in zip(read, trees, refused, strict=True):
        if bad:
            yield f"bash rejects {script!r}"
        elif tree is not None:  # its printer gives up on very deep trees
            ours, theirs = unmatched(list(seen_by_us(node)), list(seen_by_bash(tree)))
            if ours or theirs:
                yield f"{script!r}: we see {ours}, bash {theirs}"


Seen = list[tuple[str, ...]]


def unmatched(ours: Seen, theirs: Seen) -> tuple[Seen, Seen]:
    """What only one side sees. An expansion on either side stands for any one word."""
    left, right = Counter(ours), Counter(theirs)
    alone = list((left - right).elements())
    rest = list((right - left).elements())
    for item in tuple(alone):
        same = next((other for other in rest if _alike(item, other)), None)
        if same is not None:
            alone.remove(item)
            rest.remove(same)
    return alone, rest


def _alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(a == b or EXPANDED in (a, b) for a, b in pairs)


pytest.importorskip("libbash", reason="libbash (GPL, tests only) gives bash's own syntax tree")


def test_bash_accepts_every_script_of_the_corpus() -> None:
    scripts = corpus()
    assert len(scripts) >= 400
    refused = [s for s, bad in zip(scripts, rejected(scripts), strict=True) if bad]
    assert refused == []


def test_bash_sees_the_same_commands_in_the_corpus() -> None:
    assert list(differences(corpus())) == []


@pytest.mark.parametrize("seed", range(2))
def test_bash_sees_the_same_commands_in_mutants(seed: int) -> None:
    scripts = list(mutants(corpus(), MUTANTS_PER_SCRIPT, seed))
    assert list(differences(scripts)) == []


def test_what_bash_rejects_is_never_complete() -> None:
    scripts = list(mutants(corpus(), 2, seed=99))
    bad = [s for s, wrong in zip(scripts, rejected(scripts), strict=True) if wrong]
    assert len(bad) > 100
    assert [script for script in bad if agreed(script) is not None] == []
