"""`automode policy test`: calls with the verdict that a person wants, held against the settings."""

import asyncio
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import click

from automode.cli.calls.call_input import WrittenCall, decode_json, written_call
from automode.cli.calls.deciding import Decider, decider_for
from automode.cli.options import CallOptions, Surroundings, workspace_at
from automode.cli.printing import count_text, one_line, say, say_json, wants_json
from automode.config.jsonc import Array, Node, Object, content, read
from automode.config.places import content as file_content
from automode.config.places import replace_file
from automode.core.decision import Decision, Verdict
from automode.core.errors import AutomodeError, BadCall, BadSettings
from automode.core.record import source_names
from automode.core.tools import tool_call

EXIT_DIFFERENT = 1
FIELDS = {
    *("name", "tool", "input", "command", "messages", "prior_calls", "cwd", "home"),
    *("expect", "source", "attended", "transcript", "call"),
}
_WORDS = {one.word: one for one in Verdict if one is not Verdict.HALT}
_CASE = re.compile(r"^\s*\[\[\s*case\s*\]\]", re.MULTILINE)
_FORMATS = "write .json, .jsonl, .toml, .yaml or .yml"


class BadCase(BadCall):
    """A file of cases that cannot be used."""


@dataclass(frozen=True, slots=True)
class PolicyCase:
    """A call, and what should become of it. `source` empty: whoever decides."""

    place: str
    name: str
    call: WrittenCall
    expect: Verdict
    source: str = ""
    attended: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    case: PolicyCase
    verdict: str
    source: str
    reason: str

    @property
    def as_expected(self) -> bool:
        wanted = self.case.source
        same = any(
            self.source == name or self.source.startswith(f"{name}.")
            for name in source_names(wanted)
        )
        return self.verdict == self.case.expect.word and (not wanted or same)


def try_cases(
    surroundings: Surroundings,
    files: tuple[str, ...],
    junit: str | None,
    cwd: str | None,
    *,
    no_classifier: bool,
) -> int:
    """Prints where verdicts differ; returns the exit status."""
    cases = [case for file in files for case in cases_in(file)]
    outcomes = decide(surroundings, cases, cwd, no_classifier=no_classifier)
    if junit is not None:
        _write(junit, junit_text(outcomes))
    failed = [one for one in outcomes if not one.as_expected]
    if wants_json():
        say_json({"cases": len(outcomes), "failed": len(failed), "outcomes": _data(outcomes)})
    else:
        _show(outcomes, failed)
    return EXIT_DIFFERENT if failed else 0


def cases_in(file: str) -> list[PolicyCase]:
    """Raises BadCase, which names the line."""
    try:
        data = file_content(file)
        if data is None:
            raise BadCase(f"no such file: `{file}`", "name a file of cases")
        rows = list(_rows(file, data))
    except BadSettings as error:
        line = getattr(error, "line", 0)
        raise BadCase(f"`{file}{f':{line}' if line else ''}`: {error}", _FORMATS) from error
    if not rows:
        raise BadCase(f"`{file}` holds no cases", "write one as the guide shows")
    return [_case(f"{file}:{line}" if line else file, value) for value, line in rows]


def _rows(file: str, data: bytes) -> Iterator[tuple[object, int]]:
    ending = file.rpartition(".")[2]
    if ending == "jsonl":
        for number, line in enumerate(data.splitlines(), 1):
            if line.strip():
                yield _line(file, number, line), number
    elif ending == "json":
        root = read(data).root
        for one in _case_nodes(root):
            yield content(one), one.line
    elif ending == "toml":
        yield from _tables(data)
    elif ending in ("yaml", "yml"):
        yield from _documents(data)
    else:
        raise BadSettings("the ending of the name is none that is known")


def _line(file: str, number: int, line: bytes) -> object:
    try:
        return decode_json(line, "the line", marked=number == 1)
    except BadCall as error:
        raise BadCase(f"`{file}:{number}`: {error}", error.hint) from error


def _case_nodes(root: Node) -> Sequence[Node]:
    if isinstance(root, Object):
        found = root.members("cases")
        root = found[-1].value if found else root
    if not isinstance(root, Array):
        raise BadSettings(f"line {root.line}: expected a list of cases")
    return root.children


def _documents(data: bytes) -> Sequence[tuple[object, int]]:
    try:
        from automode.cli.setup.yaml_cases import yaml_cases
    except ImportError as error:
        needed = "YAML needs one more package: install automode again, with its extra `yaml`"
        raise BadSettings(f"{needed}, or write .json, .jsonl or .toml") from error
    return yaml_cases(data)


def _tables(data: bytes) -> Iterator[tuple[object, int]]:
    try:
        text = data.decode()
        found = tomllib.loads(text).get("case", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings(f"it is no TOML: {error}") from error
    if not isinstance(found, list):
        raise BadSettings("expected tables called `[[case]]`")
    lines = [text.count("\n", 0, one.end()) + 1 for one in _CASE.finditer(text)]
    known = lines if len(lines) == len(found) else [0] * len(found)
    yield from zip(found, known, strict=True)


def _case(place: str, value: object) -> PolicyCase:
    try:
        return _read_case(place, value)
    except AutomodeError as error:
        if isinstance(error, BadCase):
            raise
        raise BadCase(f"`{place}`: {error}", error.hint) from error


def _read_case(place: str, value: object) -> PolicyCase:
    if not isinstance(value, dict):
        raise BadCall("a case is an object", "write `command` and `expect`")
    unknown = sorted(set(value) - FIELDS)
    if unknown:
        raise BadCall(f"no case has a field `{unknown[0]}`", f"known: {', '.join(sorted(FIELDS))}")
    word = value.get("expect")
    if word not in _WORDS:
        raise BadCall("`expect` is none of allow, ask and deny", "say what should become of it")
    name, source, attended = (value.get(key) for key in ("name", "source", "attended"))
    if not all(one is None or isinstance(one, str) for one in (name, source)):
        raise BadCall("`name` and `source` are texts", "put them in quotes")
    if attended is not None and not isinstance(attended, bool):
        raise BadCall("`attended` is true or false", "leave it out where a person is there")
    nested = value.get("call")
    row = {**value, **nested} if isinstance(nested, dict) else value
    said = {"messages": value["transcript"]} if value.get("transcript") else {}
    call = written_call({**row, **said})
    tool_call(call.tool, call.input)  # says what is wrong with it while the line is known
    shown = str(name or call.input.get("command") or call.tool)
    there = attended is not False
    return PolicyCase(place, shown, call, _WORDS[str(word)], str(source or ""), there)


def decide(
    surroundings: Surroundings,
    cases: Sequence[PolicyCase],
    cwd: str | None,
    *,
    no_classifier: bool,
) -> list[Outcome]:
    """By the gate as `automode check` has it, in the project at `cwd`."""
    workspace = workspace_at(cwd)
    settings = surroundings.load(workspace.root).settings

    def decider(*, attended: bool) -> Decider:
        options = CallOptions(
            tool=None,
            argument="",
            user=None,
            cwd=cwd,
            unattended=not attended,
            no_classifier=no_classifier,
            no_record=True,
        )
        return decider_for(surroundings, options, settings)

    deciders = {there: decider(attended=there) for there in {one.attended for one in cases}}

    async def every() -> list[Outcome]:
        found: list[Outcome] = []
        for case in cases:
            place = workspace if case.call.cwd is None else workspace_at(case.call.cwd)
            decided = await deciders[case.attended].decide(case.call, place)
            found.append(_outcome(case, decided.decision))
        return found

    return asyncio.run(every())


def _outcome(case: PolicyCase, decision: Decision | None) -> Outcome:
    if decision is None:
        return Outcome(case, "none", "", "auto mode is off")
    return Outcome(case, decision.verdict.word, decision.source, decision.reason)


def _show(outcomes: Sequence[Outcome], failed: Sequence[Outcome]) -> None:
    for one in failed:
        wanted = f"{one.case.expect.word} {one.case.source}".rstrip()
        say(f"{one.case.place}: {one_line(one.case.name, 100)}")
        say(click.style(f"- {wanted}", fg="red"))
        say(click.style(f"+ {one.verdict} {one.source}", fg="green"))
        say(f"  {one_line(one.reason, 200)}")
        say()
    passed = len(outcomes) - len(failed)
    say(f"{count_text(len(outcomes), 'case')}: {passed} as expected, {len(failed)} different")


def _data(outcomes: Iterable[Outcome]) -> list[Mapping[str, object]]:
    return [
        {
            "name": one.case.name,
            "place": one.case.place,
            "expect": one.case.expect.word,
            "expect_source": one.case.source or None,
            "verdict": one.verdict,
            "source": one.source,
            "reason": one.reason,
            "as_expected": one.as_expected,
        }
        for one in outcomes
    ]


def junit_text(outcomes: Sequence[Outcome]) -> str:
    failed = sum(not one.as_expected for one in outcomes)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="automode policy" tests="{len(outcomes)}" failures="{failed}">',
    ]
    for one in outcomes:
        start = f'  <testcase classname="{_xml(one.case.place)}" name="{_xml(one.case.name)}"'
        if one.as_expected:
            lines.append(f"{start}/>")
            continue
        wanted = f"{one.case.expect.word} {one.case.source}".rstrip()
        message = f"wanted {wanted}, got {one.verdict} {one.source}"
        lines.append(f'{start}><failure message="{_xml(message)}">{_xml(one.reason)}</failure>')
        lines.append("  </testcase>")
    return "\n".join([*lines, "</testsuite>", ""])


def _xml(text: str) -> str:
    """No letter that XML forbids: those are shown as escapes."""
    return escape(one_line(text, 1000))


def _write(file: str, text: str) -> None:
    try:
        replace_file(os.path.abspath(file), text.encode())
    except OSError as error:
        raise BadCall(f"`{file}` cannot be written: {error.strerror}", "name another") from error
