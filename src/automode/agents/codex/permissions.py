"""Codex's rules for commands: calls of `prefix_rule` in the files below `rules`. They are Starlark;
what is written out there is Python as well, and nothing else is read."""

import ast
import os
from collections.abc import Iterator
from itertools import islice, product

from automode.agents.codex.install import codex_folder
from automode.agents.importing.agent_rules import (
    ALLOW,
    ASK,
    DENY,
    AgentRule,
    Entries,
    Fit,
    Permissions,
    Source,
    folder_files,
    left_out,
)
from automode.agents.importing.patterns import words
from automode.core.errors import BadSettings

_DECISIONS = {"forbidden": DENY, "prompt": ASK, "allow": ALLOW}
MOST_COMMANDS = 64  # that one rule may spell out by its alternatives


def _rules(file: str, data: bytes) -> list[AgentRule]:
    try:
        tree = ast.parse(data.decode())
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise BadSettings(f"line {line}: it is no Starlark" if line else "no Starlark") from error
    return [_rule(file, one) for one in tree.body if not _is_text(one)]


def _is_text(one: ast.stmt) -> bool:
    return isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)


def _rule(file: str, one: ast.stmt) -> AgentRule:
    shown = " ".join(ast.unparse(one).split())
    match one:
        case ast.Expr(ast.Call(func=ast.Name("prefix_rule"), args=[], keywords=given)):
            try:
                told = {str(part.arg): ast.literal_eval(part.value) for part in given}
            except (ValueError, TypeError, SyntaxError, MemoryError):
                told = {}
        case _:
            told = {}
    key = _DECISIONS.get(str(told.get("decision", "allow")))
    pattern = told.get("pattern")
    if key is None or not isinstance(pattern, list) or not pattern:
        return AgentRule(
            DENY,
            shown,
            file,
            one.lineno,
            left_out("only calls of `prefix_rule` with words written out are read"),
        )
    listed = " ".join(map(str, pattern))
    return AgentRule(key, listed, file, one.lineno, _translate(key, pattern))


def _translate(key: str, pattern: list[object]) -> Entries:
    spots = [one if isinstance(one, list) else [one] for one in pattern]
    if not all(isinstance(word, str) for spot in spots for word in spot):
        return left_out("only words are read in a pattern")
    found = [words(key, one) for one in islice(product(*spots), MOST_COMMANDS + 1)]
    if not 0 < len(found) <= MOST_COMMANDS:
        return left_out(f"it spells out no command, or more than {MOST_COMMANDS}")
    odd = next((one for one in found if one.fit is not Fit.SAME), found[0])
    if not odd.ours:
        return odd
    return Entries(tuple(one for entries in found for one in entries.ours), odd.fit, odd.note)


def _in(folder: str) -> Iterator[Source]:
    for file in folder_files(os.path.join(folder, "rules"), ".rules"):
        yield Source(file, _rules)


RULES = Permissions(
    lambda site: list(_in(codex_folder(site))),
    lambda site: list(_in(os.path.join(site.project, ".codex"))),
)
