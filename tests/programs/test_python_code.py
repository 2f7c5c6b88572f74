"""Python on the command line: which code can only compute and print."""

from automode.programs.python_code import harmless
from tests.rows import each_row

HARMLESS = (
    "print(1 + 1)",
    "import sys; print(sys.version)",
    "import json, sys; print(json.load(sys.stdin)['x'])",
    "import sys; print(sys.path)",
    "import sys\nfor p in sys.path: print(p)",
    "import json, sys\nx = []\nx.append(sys.argv[1])\nprint(json.dumps(x))",
    "for x in sorted([3, 1]): print(f'{x:>4}')",
    "import json\nd = json.load(open('a.json', encoding='utf-8'))\nprint(len(d), d.get('x'))",
    "import sys\nfor line in sys.stdin:\n try: print(int(line))\n except ValueError as e: print(e)",
    "import json\ntry: print(json.loads('x'))\nexcept (json.JSONDecodeError, KeyError): pass",
    "with open('a.txt') as f:\n  print(len(f.read()))",
    "print(sorted([(1, 2)], key=lambda pair: pair[1]))",
    "n = {}\nfor w in 'a b'.split(): n[w] = n.get(w, 0) + 1\nprint(n)",
    "n = dict()\nn['x'] = 1\nn['x'] += 1\nassert n['x'] == 2, n",
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
    "with open('x', 'w') as f: print(f)",
    "with open('x') as open: open('y', 'w')",
    "with open('x') as f: f.write('y')",
    "with open('x') as print: print('y')",
    "try: pass\nexcept ValueError as print: print(1)",
    "try: pass\nexcept ValueError as open: open('x', 'w')",
    "try: pass\nexcept OSError: pass",
    "sorted([1], key=lambda print: print(1))",
    "sorted([1], key=lambda x: __import__('os').remove(x))",
    "sorted([1], key=lambda x, _=eval('1'): x)",
    "f = lambda x: x",
    "sorted([lambda: 0], key=print)",
    "import sys; sys.argv[0] = 'x'",
    "import sys; p = sys.path; p[0] = 'x'",
    "import sys; n = {}; n['p'] = sys.path; n['p'][0] = 'x'",
    "import sys\nn = []\nfor n in [sys.path]: n[0] = 'x'",
    "import sys\nn = []\nsorted([sys.path], key=lambda n: n)\nn[0] = 'x'",
    "n = {}; del n['x']",
    "lambda: 0",
    "from os import remove",
    "code",
    "(" * 5_000,
    "1 + " * 2_000,
)


@each_row("code", HARMLESS)
def test_code_of_the_closed_language_is_harmless(code: str) -> None:
    assert harmless(code) is not None


@each_row("code", HARMFUL)
def test_anything_beyond_it_is_not(code: str) -> None:
    assert harmless(code) is None


def test_the_files_and_modules_it_needs_are_named() -> None:
    found = harmless("import json; print(json.load(open('a.json')))")
    assert found is not None
    assert (found.modules, found.files) == (frozenset({"json"}), frozenset({"a.json"}))
