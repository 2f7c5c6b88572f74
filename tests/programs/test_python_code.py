"""Python on the command line: which code can only compute and print."""

import pytest

from automode.programs.python_code import harmless

HARMLESS = (
    "print(1 + 1)",
    "import sys; print(sys.version)",
    "import json, sys; print(json.load(sys.stdin)['x'])",
    "for x in sorted([3, 1]): print(f'{x:>4}')",
    "import json\nd = json.load(open('a.json', encoding='utf-8'))\nprint(len(d), d.get('x'))",
)
HARMFUL = (
    "import os; os.remove('x')",
    "open('x', 'w')",
    "print(().__class__.__bases__)",
    "__import__('os')",
    "eval('1')",
    "print = exec",
    "import json as print",
    "o = open; o('x', 'w')",
    "print('x', file=open('y', 'w'))",
    "import sys; sys.modules['os'].remove('x')",
    "sys.stdin.x = 1",
    "getattr(print, 'x')",
    "sorted([1], key=print)",
    "def f(): pass",
    "lambda: 0",
    "from os import remove",
    "code",
    "(" * 5_000,
    "1 + " * 2_000,
)


@pytest.mark.parametrize("code", HARMLESS)
def test_code_of_the_closed_language_is_harmless(code: str) -> None:
    assert harmless(code) is not None


@pytest.mark.parametrize("code", HARMFUL)
def test_anything_beyond_it_is_not(code: str) -> None:
    assert harmless(code) is None


def test_the_files_and_modules_it_needs_are_named() -> None:
    found = harmless("import json; print(json.load(open('a.json')))")
    assert found is not None
    assert (found.modules, found.files) == (frozenset({"json"}), frozenset({"a.json"}))
