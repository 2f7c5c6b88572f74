"""Whether a test that this session wrote only calls the project's own code and looks at the result.

What it brings in is a closed list: libraries for tests, modules that only compute, and the project.
A language that has no list here is not known to be harmless.
"""

import re
from collections.abc import Callable, Mapping

from automode.core.paths import absolute, within
from automode.guards.reads.credentials import may_be_credential
from automode.judge import javascript_code, python_tests
from automode.judge.python_tests import Own

LONGEST = 20_000


def only_tests(text: str, own: Own) -> bool:
    suffix = own.path.rpartition(".")[2]
    read = _LANGUAGES.get(suffix)
    return read is not None and len(text) <= LONGEST and read(text, own)


_JS_IMPORT = re.compile(r"\b(?:from|import|require|[mM]ock|Actual|unmock)\s*\(?\s*@(\d+)@")
_JS_ANY_IMPORT = re.compile(
    r"\b(?:require|import)\b(?!\s*\(?\s*@|\s+[\w{*,\s}]+?\bfrom\s+@|\.meta\.(?:env|url)\b)"
)
_JS_LIBRARY = re.compile(
    r"(?:node:)?(?:test|assert(?:/strict)?|path|url|util|events)|vitest|@?jest(?:/globals)?|mocha|chai|"
    r"sinon|bun:test|@testing-library/[\w-]+|react(?:-dom)?(?:/[\w-]+)*|vue|svelte|@vue/test-utils|"
    r"msw(?:/\w+)?|zod|lodash(?:/\w+)?|fast-check|uvu(?:/\w+)?|ava|tap|@vitest/[\w-]+"
)
_JS_OWN = re.compile(r"(?:[@~#]|\$lib|src)/[\w./@-]+")
_JS_BARRED = re.compile(
    r"(?<![\w$.])(?:fetch|eval|Function|setTimeout\s*\(\s*@)\s*\(|\bnew\s+Function\b|\bconstructor\b(?!\s*\()|"
    r"\b(?:getBuiltinModule|binding|mainModule|Deno|Bun|XMLHttpRequest|WebSocket|EventSource|Worker|"
    r"WebAssembly|createRequire|dlopen|__proto__|child_process|sendBeacon)\b|"
    r"\bprocess\b(?!\s*\.\s*(?:env|cwd|platform|version|nextTick|argv|on|exitCode|stdout|stderr)\b)|"
    r"\b(?:globalThis|global|window|self)\s*\[|\bglobalThis\s*\.\s*(?:process|eval|Function|require)\b"
)


def _javascript(text: str, own: Own) -> bool:
    texts: list[str] = []
    bare = javascript_code.without_texts(text, texts)
    if bare is None or _JS_BARRED.search(bare) or _JS_ANY_IMPORT.search(bare):
        return False
    if any(may_be_credential(one, own.workspace.home) for one in texts if " " not in one):
        return False
    folder = own.path.rpartition("/")[0]
    return all(
        _javascript_module(texts[int(at)], folder, own) for at in _JS_IMPORT.findall(bare)
    ) and not any("constructor" in one or "__proto__" in one for one in texts if " " not in one)


def _javascript_module(name: str, folder: str, own: Own) -> bool:
    if name.startswith("."):
        return within(absolute(name, folder), own.workspace.root)
    return bool(_JS_LIBRARY.fullmatch(name) or _JS_OWN.fullmatch(name))


_GO_IMPORTS = re.compile(r"^import\s*(?:\(([^)]*)\)|(?:[\w.]+\s+)?(\"[^\"]+\"))", re.MULTILINE)
_GO_LISTED = re.compile(
    r"testing(?:/\w+)?|strings|fmt|bytes|errors|reflect|sort|time|context|math(?:/\w+)*|strconv|"
    r"encoding(?:/\w+)?|regexp|unicode(?:/\w+)?|slices|maps|sync(?:/atomic)?|path(?:/filepath)?|io|bufio|"
    r"cmp|iter|net/http/httptest|net/http|net/url|html|log|text/template|hash(?:/\w+)?|crypto/\w+|os|"
    r"github\.com/stretchr/testify(?:/\w+)?|github\.com/google/go-cmp/\w+(?:/\w+)?|gotest\.tools/v3/\w+"
)
_GO_BARRED = re.compile(
    r"\bos\.(?!ReadFile\b|Getwd\b|Stat\b|IsNotExist\b|ErrNotExist\b|Getenv\b|ReadDir\b|Lstat\b|DirFS\b|"
    r"File(?:Mode|Info)\b|IsExist\b|ErrExist\b|PathSeparator\b|"
    r"(?:WriteFile|Mkdir(?:All)?|Create|Remove(?:All)?)\(\s*(?!\")(?:filepath\.Join\(\s*)?(?:dir|tmp\w*|temp\w*|root|base|"
    r"path|file\w*|t\.TempDir)\b)|\bhttp\.(?!Status\w*|Method\w*|NewRequest\w*|Handler\w*|Request\b|"
    r"ResponseWriter\b|Header\b|Error\b|Cookie\b|NewServeMux\b|Response\b)|//go:linkname|\bunsafe\b"
)


def _go(text: str, own: Own) -> bool:
    module = own.setting("go.mod", r"^module\s+(\S+)")
    given = " ".join(part for found in _GO_IMPORTS.findall(text) for part in found)
    temporary = "os." not in text or "TempDir()" in text or not _GO_WRITES.search(text)
    return (
        temporary
        and not _GO_BARRED.search(text)
        and all(
            _GO_LISTED.fullmatch(one) or (module and f"{one}/".startswith(f"{module}/"))
            for one in re.findall(r"\"([^\"]+)\"", given)
        )
    )


_GO_WRITES = re.compile(r"\bos\.(?:WriteFile|Mkdir|Create|Remove)")
_RUST_PATH = re.compile(r"(?<![\w:])([a-z_]\w*)::(\w+|\{)")
_RUST_STANDARD = frozenset(
    "collections fmt str string vec iter rc sync time cell cmp ops hash path option result error"
    " mem num convert default any borrow marker boxed slice f64 f32 i32 u32 i64 u64"
    " usize u8 char".split()
)
_RUST_ROOTS = frozenset(
    "crate super self tempfile pretty_assertions proptest rstest serde_json serde approx"
    " assert_matches i32 u32 i64 u64 f64 f32 usize isize u8 i8 u16 i16 str char".split()
)


def _rust(text: str, own: Own) -> bool:
    name = (own.setting("Cargo.toml", r"^name\s*=\s*\"([\w-]+)\"") or "").replace("-", "_")
    if re.search(r"\b(?:unsafe|extern|include\w*!|asm!|env!)", text):
        return False
    return all(
        inner in _RUST_STANDARD
        if first in ("std", "core", "alloc")
        else first in _RUST_ROOTS | {name}
        for first, inner in _RUST_PATH.findall(text)
    )


_JAVA_IMPORT = re.compile(r"^\s*import\s+(?:static\s+)?([\w.]+)", re.MULTILINE)
_JAVA_LISTED = re.compile(
    r"(?:org\.(?:junit|assertj|mockito|hamcrest|opentest4j)|java\.(?:util(?!\.(?:zip|jar|prefs|logging))|"
    r"time|math|text)|kotlin\.test|io\.mockk)\.[\w.]+"
)
_JAVA_BARRED = re.compile(
    r"\b(?:Runtime|ProcessBuilder|ClassLoader|forName|getMethod|getDeclared\w+|invoke|Thread|Unsafe|"
    r"getClass|Files|Scanner|ServiceLoader|javax?\.(?!util\.|time\.|math\.|text\.)\w+)\b|"
    r"\bSystem\.(?!out\b|currentTimeMillis\b|nanoTime\b|lineSeparator\b)"
)


def _java(text: str, own: Own) -> bool:
    package = re.search(r"^\s*package\s+([\w]+(?:\.\w+)?)", text, re.MULTILINE)
    ours = f"{package[1]}." if package else "\0"
    body = _JAVA_IMPORT.sub("", text)
    return not _JAVA_BARRED.search(body) and all(
        _JAVA_LISTED.fullmatch(one) or one.startswith(ours) for one in _JAVA_IMPORT.findall(text)
    )


_LANGUAGES: Mapping[str, Callable[[str, Own], bool]] = {
    "py": python_tests.only_tests,
    **dict.fromkeys("js ts tsx jsx mjs cjs".split(), _javascript),
    "go": _go,
    "rs": _rust,
    "java": _java,
}
SOURCES = tuple(
    f".{one}" for one in (*_LANGUAGES, *"rb php kt cs swift ex exs scala lua c cc cpp".split())
)
