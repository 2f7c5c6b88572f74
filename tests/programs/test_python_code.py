"""Python on the command line: which code can only compute and print."""

import pytest

from automode.programs.python_code import harmless

HARMLESS = (
    "print(1 + 1)",
    "import sys; print(sys.version)",
    "import json, sys; print(json.load(sys.stdin)['x'])",
    "import sys; print(sys.path)",
    "import sys\nfor p in sys.path: print(p)",
    "import json, sys\nx = []\nx.append(sys.argv[1])\nprint(json.dumps(x))",
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
    "import sys; sys.path.append('evil'); import json",
    "import sys; sys.path.append('evil')",
    "import sys, platform; sys.path.extend(['evil']); platform.node()",
    "import sys; sys.path.sort()",
    "import sys; p = sys.path; p.append('x')",
    "import sys; p = sys.path; p += ['x']",
    "import sys; s = sys; print(s.path)",
    "import sys; print([sys])",
    "import sys; print(sys.load)",
    "print(1); import json",
    "if 1: import json",
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
