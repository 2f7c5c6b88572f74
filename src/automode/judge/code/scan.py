"""What code does outside of itself in languages without a grammar here: the names of functions that
act, with the texts that they are given. No name is followed to what it was given before."""

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from automode.core.workspace import Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.judge.code.act import Act, Places, shown, stays, with_holes
from automode.judge.words import keys_by_word, patterns, word_lists
from automode.programs.inline_python import UNKNOWN
from automode.programs.python_starts import UNKNOWN_WORD
from automode.programs.table import programs
from automode.shell.script import HOLE

_P = patterns("other_acts")
_W = word_lists("other_acts")
SCANNED = tuple(f".{one}" for one in keys_by_word("other_acts", "languages"))
LONGEST_BEFORE, LONGEST_GIVEN = 200, 600
MOST_CALLS = 200
_PAIRS = {"(": ")", "[": "]", "{": "}", "|": "|", "!": "!"}
_QUOTED = re.compile(r"`([^`\n]+)`")
_BLOCK = re.compile(r"^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*$", re.MULTILINE | re.DOTALL)
_BEFORE = re.compile(r"[^;{}\n]*\.$")
_HOST = re.compile(r"\w+://.*|\d+(?:\.\d+){3}(?::\d+)?")


class Read(Protocol):
    def __call__(self, given: str, *, own: bool) -> Iterator[Act]:
        """`own`: the name is the language's own, whatever it is given."""


def scanned_acts(code: str, put: Sequence[str] | None, path: str, place: Workspace) -> list[Act]:
    """`put`: what was put into code that was there: only that counts."""
    ending = path.rpartition(".")[2]
    text = code if put is None else "\n".join(put)
    return list(dict.fromkeys(_Scan(_without_remarks(text, ending), code, ending, place).acts()))


def _without_remarks(code: str, ending: str) -> str:
    """Without whole lines of them: what stands behind code may be a part of a text."""
    mark = keys_by_word("other_acts", "languages").get(ending, "//")
    lines = (one.strip() for one in (_BLOCK.sub("", code) if mark == "//" else code).split("\n"))
    kept = (one for one in lines if not one.startswith(mark) or one.startswith(("#{", "#[")))
    return "\n".join(kept)


class _Scan(Places):
    def __init__(self, code: str, whole: str, ending: str, place: Workspace) -> None:
        super().__init__(place)
        self.code, self.whole = code, whole
        self.calls, self.runs_texts = ending in _W.calling, ending in _W.dynamic
        self.quotes = ending in _W.quoting
        # Of a file that makes places for tests, what nobody can tell is taken for one of them.
        at_home = _P.home.search(whole) is not None
        self.is_placed = not at_home and _P.temporary.search(whole) is not None
        self.unknown = f"{self.temporary}/x" if self.is_placed else UNKNOWN

    def acts(self) -> Iterator[Act]:
        readers: tuple[tuple[re.Pattern[str], Read, bool], ...] = (
            (_P.starts, self._starts, True),
            (_P.may_start, self._starts, self.calls),
            (_P.deletes, self._deletes, True),
            (_P.may_delete, self._deletes, self.calls),
            (_P.writes, self._writes, True),
            (_P.evaluates, self._evaluates, self.runs_texts),
        )
        for names, read, own in readers:
            for given in self._given(names):
                yield from read(given, own=own)
        for text in _QUOTED.findall(_P.text.sub("", self.code)) if self.quotes else ():
            yield from self._command(text, sure="/" in text.split(" ")[0])
        for text in _P.called.findall(self.code):
            yield from self._command(text)
        if _P.kills.search(self.code) and not _P.own_process.search(self.whole):
            yield Act("stops a process", grave=True)
        yield from self._of_texts()

    def _of_texts(self) -> Iterator[Act]:
        reaches = _P.clients.search(self.whole) and not _P.mocks.search(self.whole)
        for one in self._texts(self.code):
            if one[:1] in ("/", "~", "$") and " " not in one:
                if may_be_credential(one, self.place.home):
                    yield Act("names a file that may hold credentials", grave=True)
            elif reaches and _HOST.fullmatch(one) and not stays(one):
                yield Act(f"reaches `{shown(one)}`", grave=True)

    def _given(self, names: re.Pattern[str]) -> Iterator[str]:
        """What each call of them is given: what stands behind it, and of a method before it."""
        for count, found in enumerate(names.finditer(self.code)):
            if count == MOST_CALLS:
                return
            start = found.start()
            before = _BEFORE.search(self.code, max(0, start - LONGEST_BEFORE), start)
            behind = self.code[found.end() : found.end() + LONGEST_GIVEN]
            yield f"{before[0] if before else ''}{found[0]}\0{_first_argument(behind)}"

    def _texts(self, given: str) -> list[str]:
        """The texts that stand there, but for those that only go on; the home as one of them."""
        told = _P.home.sub(f'"{self.place.home}"', given)
        told = _P.variables.sub(f'"{UNKNOWN}"', told)
        found: list[str] = []
        for one in _P.text.finditer(told):
            text = one[1] if one[1] is not None else one[2]
            if not _P.continues.search(told, max(0, one.start() - 8), one.start()):
                found.append(self._filled(text))
        return found

    def _filled(self, text: str) -> str:
        return _P.holes.sub(self.unknown, text)

    def _starts(self, given: str, *, own: bool) -> Iterator[Act]:
        name, _, told = given.partition("\0")
        if name.endswith(("%x", "qx")):
            yield from self._command(told[1:-1])
            return
        texts = self._texts(told)
        if not texts:
            yield from (Act("starts what nobody can tell", grave=True),) if own else ()
            return
        if (texts[1:] and _P.writing.fullmatch(texts[-1])) or texts[-1] == "r":
            texts.pop()  # of `popen`
        last = list(_P.text.finditer(told))[-1]
        if _P.goes_on.search(told[last.end() :]):
            texts.append(self.unknown)
        yield from self._command(" ".join(texts), sure=own)

    def _command(self, text: str, *, sure: bool = True) -> Iterator[Act]:
        filled = self._filled(_P.home.sub(self.place.home, text))
        if filled.startswith(UNKNOWN):
            yield Act("starts what nobody can tell", grave=True)
            return
        told = with_holes(filled).replace(HOLE, UNKNOWN_WORD)
        if told.strip() and (sure or told.split(" ")[0].rpartition("/")[2] in programs()):
            yield Act(f"starts `{shown(told.split(' ')[0])}`", None, told)

    def _deletes(self, given: str, *, own: bool) -> Iterator[Act]:
        texts = self._texts(given)
        if _P.temporary.search(given) and not any(".." in one for one in texts):
            return
        if not texts and own and not self.is_placed:
            yield Act("deletes what nobody can tell", grave=True)
        action = "rm -rf 1" if _P.deep.search(given.partition("\0")[0]) else "rm 1"
        for one in texts:
            yield from self.moves(action, [(one,)])

    def _writes(self, given: str, *, own: bool) -> Iterator[Act]:
        name, _, told = given.partition("\0")
        texts = self._texts(f"{name} {told}")
        mode = any(map(_P.writing.fullmatch, texts))
        if not own or (_P.opens.search(name) and not mode) or _P.temporary.search(given):
            return
        for one in texts[:2]:
            if one.startswith(("/", "~")) or ".." in one:
                yield from self.moves(">> 1", [(one,)])

    def _evaluates(self, given: str, *, own: bool) -> Iterator[Act]:
        if own:
            hint = _P.decodes.search(given) is not None
            yield Act("runs code that it makes", hint=hint, grave=True)


def _first_argument(behind: str) -> str:
    """Up to the bracket that closes what is opened there, or to the end of the line."""
    text = behind.lstrip(" !?")
    closing = _PAIRS.get(text[:1], "")
    if not closing:
        return text.partition("\n")[0]
    depth = 0
    for at, letter in enumerate(_P.text.sub(lambda one: "_" * len(one[0]), text)):
        if letter == text[0] and (at == 0 or letter != closing):
            depth += 1
        elif letter == closing:
            depth -= 1
        if depth == 0 and at:
            return text[: at + 1]
    return text
