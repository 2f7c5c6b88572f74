"""Python code is proved by what it is made of, never by what it lacks."""

import pytest

from automode.judge.python_code import prove_python
from tests.rows import each_row

PROVED: list[tuple[str, tuple[str, ...]]] = [
    ("import json; print(json.load(open('package.json'))['version'])", ()),
    ("import sys, json\nfor one in json.load(sys.stdin): print(one['name'])", ()),
    ("import csv\nprint(len(list(csv.reader(open('data.csv')))))", ()),
    ("def double(x):\n    return 2 * x\nprint(double(2))", ()),
    ("first = lambda x: x[0]\nprint(sorted([(1, 2)], key=first))", ()),
    ("try:\n    int('x')\nexcept ValueError as error:\n    print(error)", ()),
    ("from pathlib import Path\np = Path('src/a.py')\np.write_text(p.read_text())", ("src/a.py",)),
    ("p = 'a.txt'; s = open(p).read(); open(p, 'w').write(s.replace('a', 'b'))", ("a.txt",)),
    ("import json\nwith open('out.json', mode='w') as f: json.dump({}, f)", ("out.json",)),
    ("from pathlib import Path\nfor p in Path('src').rglob('*.py'): print(p.read_text())", ()),
    ("for name in ('a', 'b'):\n    print(open(f'src/{name}.ts').read())", ()),
    ("import sys; print(len(open(sys.argv[1]).read()))", ()),
    ("import sys; print(type(1).__name__, isinstance(1, int), sys.version_info.major)", ()),
    ("import os; print(os.path.exists('a'), os.path.join('a', 'b'))", ()),
    ("from pathlib import Path\n(Path('src') / 'a.py').write_text('')", ("src/a.py",)),
]


@each_row("code, written", PROVED)
def test_code_that_reads_computes_prints_and_writes_what_it_names_is_proved(
    code: str, written: tuple[str, ...]
) -> None:
    found = prove_python(code)

    assert found is not None
    assert found.written == written


NOT_PROVED = [
    "import os; os.system('x')",
    "import os\nlist(map(os.system, ['x']))",
    "from os import system",
    "import boto3; boto3.resource('s3').Bucket('b').delete()",
    "from shop.billing import refund_all\nrefund_all()",
    "import os; print(os.environ)",
    "list(map(exec, ['x']))",
    "run = eval\nrun('1')",
    "len = exec\nlen('x')",
    "().__class__.__bases__",
    "print(getattr(print, 'x'))",
    "import functools\nfunctools.partial(open, mode='w')('x')",
    "write = open\nwrite('x', 'w')",
    "open(name(), 'w')",
    "for one in ('a', 'b'):\n    open(one, 'w')",
    "from pathlib import Path\nfor p in Path('.').glob('*'): p.unlink()",
    "from pathlib import Path\nlist(map(Path('x').unlink, [1]))",
    "from pathlib import Path\nPath('a').replace('b')",
    "def f(): pass\nf = x.unlink\nf()",
    "def unlink(): pass\nx.unlink()",
    "{'a': print}['a'](1)",
    "@decorated\ndef f(): pass",
    "import sys\nsys.stdout = open('x', 'w')",
    "import subprocess as json\njson.run('x')",
    "import uuid; list(map(uuid.os.execvp, ['sh'], [['sh', '-c', 'id']]))",
    "import random; sorted(['x'], key=random._os.removedirs)",
    "import collections; collections._sys.modules['os'].replace('a', 'b')",
    "import fnmatch; fnmatch.os.replace('a', 'b')",
    "import os; [os][0].replace('a', 'b')",
    "from pathlib import Path\nPath.replace(Path('a'), 'b')",
    "from pathlib import Path\np = Path('a'); t = type(p); t.replace(p, 'b')",
    "from pathlib import Path\nclass P(Path): pass\nP.replace(P('a'), 'b')",
    "from pathlib import Path\nlist(map(Path('a').replace, ['b']))",
    "from pathlib import Path\ndef unlink(): pass\nlist(filter(Path('a').unlink, [0]))",
    "from pathlib import Path\ndef print(x): return x\nprint(Path).replace('a', 'b')",
    "from pathlib import Path\nfor p in Path('/home/ada').rglob('*'): print(p.read_text())",
    "import os\nfor r, _, f in os.walk('.'): print(open(os.path.join(r, f[0])).read())",
    "print(open(''.join(['.e', 'nv'])).read())",
    "print(open(input()).read())",
    "f = '{0.__class__}'\nprint(f.format(1))",
    "import gzip\ngzip.open(x, 'w')",
    "not python at all (",
    "x = 1\n" * 20_000,
]


@each_row("code", NOT_PROVED)
def test_whatever_is_not_listed_is_not_proved(code: str) -> None:
    assert prove_python(code) is None


def test_a_path_that_is_put_together_of_texts_is_one_of_the_texts() -> None:
    found = prove_python(
        "import os; print(open(os.path.join('~', '.a' + 'ws', 'credentials')).read())"
    )

    assert found is not None
    assert "~/.aws/credentials" in found.texts


@pytest.mark.parametrize("code", ["open('a', 'w')", "open('a', 'w').write(' ')"])
def test_a_file_that_gets_nothing_is_emptied(code: str) -> None:
    found = prove_python(code)

    assert found is not None
    assert not found.fills
