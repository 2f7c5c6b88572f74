"""What is proved of JavaScript given on a command line: it reads files, computes and prints.

Every function that is called, every module and every name taken out of one is listed here. A text
that has anything else, or that could hide a call, is not proved.
"""

import re

LONGEST = 8_000
_MODULES = {
    "fs": frozenset(
        "readFileSync existsSync readdirSync statSync lstatSync readFile readdir constants".split()
    ),
    "path": None,
    "util": frozenset({"inspect", "format"}),
    "os": frozenset("EOL platform arch cpus".split()),
    "zlib": frozenset("gzipSync gunzipSync brotliCompressSync deflateSync inflateSync".split()),
    "crypto": frozenset("createHash randomUUID randomBytes".split()),
    "url": None,
    "assert": None,
}
_CALLED = frozenset(
    "log error warn info table dir parse stringify keys values entries map filter reduce forEach"
    " find findIndex some every includes indexOf lastIndexOf join split slice splice concat sort"
    " reverse push pop shift unshift flat flatMap fill from of isArray trim trimStart trimEnd"
    " padStart padEnd repeat replace replaceAll match matchAll test startsWith endsWith substring"
    " substr charAt charCodeAt codePointAt fromCharCode toUpperCase toLowerCase toFixed toString"
    " toISOString toLocaleString parseInt parseFloat isNaN isFinite Number String Boolean Array"
    " Object Date Set Map Math max min abs floor ceil round sqrt pow random has get set add size"
    " getTime now fromEntries assign freeze readFileSync existsSync readdirSync statSync isFile"
    " isDirectory resolve basename dirname extname relative normalize inspect format createHash"
    " update digest byteLength gzipSync gunzipSync brotliCompressSync toSorted findLast isBuffer"
    " localeCompare at if for while switch catch function return typeof RegExp Error"
    " TypeError Symbol BigInt cwd hrtime exit isInteger write equal deepEqual ok strictEqual"
    " deepStrictEqual".split()
)
_PROCESS = frozenset("argv version versions platform arch cwd stdout exit hrtime".split())
_PIECE = re.compile(
    r"(?P<text>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")|(?P<remark>//[^\n]*|/\*.*?\*/)|"
    r"(?P<pattern>(?<=[(,=:\[!&|?{};+])\s*/(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)|"
    r"(?P<template>`)|(?P<odd>['\"])|(?P<close>\})|(?P<open>\{)|(?P<slash>/)",
    re.DOTALL,
)
_INSIDE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)
_REQUIRED = re.compile(
    r"(?:(?:const|let|var)\s+(?P<bound>\w+|\{[\w\s,]*\})\s*=\s*)?"
    r"\brequire\(\s*@(?P<at>\d+)@\s*\)(?:\s*\.\s*(?P<taken>\w+))?"
)
_OWN = re.compile(r"\bfunction\s+(\w+)|(?:const|let|var)\s+(\w+)\s*=\s*(?:\([\w\s,]*\)|\w+)\s*=>")
_HIDDEN = re.compile(
    r"\]\s*\(|\)\s*\((?!\()|`|\?\.\(|\b(?:import|eval|Function|constructor|globalThis|global|this|prototype|"
    r"__\w+|with|async|await|class|module|exports|Reflect|Proxy|getBuiltinModule|binding|"
    r"mainModule|env|Deno|Bun)\b|\\u"
)
_CALL = re.compile(r"([\w$]+)\s*\(")
_PROCESS_USE = re.compile(r"\bprocess\b(?:\s*\.\s*(\w+))?")


def proved(code: str) -> bool:
    if len(code) > LONGEST:
        return False
    texts: list[str] = []
    bare = _without_texts(code, texts)
    if bare is None:
        return False
    rest, modules = _without_modules(bare, texts)
    if rest is None or _HIDDEN.search(rest) or "require" in rest:
        return False
    own = {name for found in _OWN.findall(rest) for name in found if name}
    called = set(_CALL.findall(rest))
    process = _PROCESS_USE.findall(rest)
    return (
        called <= _CALLED | own
        and all(name in _PROCESS for name in process)
        and all(_only_looks(rest, name, listed) for name, listed in modules)
    )


def _without_texts(code: str, texts: list[str]) -> str | None:
    """The code with a number in place of each text and pattern; None where it cannot be told what
    is a text. What a template computes is code like any other."""
    found: list[str] = []
    braces: list[bool] = []  # whether each open one belongs to a template
    place = 0
    while piece := _PIECE.search(code, place):
        found.append(code[place : piece.start()])
        place = piece.end()
        match piece.lastgroup:
            case "text":
                texts.append(piece[0][1:-1])
                found.append(f"@{len(texts) - 1}@")
            case "pattern" | "remark":
                found.append(" 0 " if piece.lastgroup == "pattern" else " ")
            case "template" if re.search(r"[\w$)\]]\s*$", "".join(found[-2:])):
                return None  # a function is called with it
            case "template":
                place = _through_template(code, place, found, braces)
            case "close" if braces and braces.pop():
                found.append(")")
                place = _through_template(code, place, found, braces)
            case "close" | "open":
                braces += [False] if piece.lastgroup == "open" else []
                found.append(piece[0])
            case "slash" if re.match(r"\s*[\w(]", code[place:]):
                found.append("/")
            case _:
                return None
        if place < 0:
            return None
    return "".join((*found, code[place:]))


def _through_template(code: str, place: int, found: list[str], braces: list[bool]) -> int:
    """To the end of a template, or to the code inside it; -1 where neither comes."""
    inside = _INSIDE.match(code, place)
    end = inside.end() if inside else place
    if code.startswith("${", end):
        braces.append(True)
        found.append(" +(")
        return end + 2
    found.append(" 0 ")
    return end + 1 if code.startswith("`", end) else -1


def _without_modules(
    bare: str, texts: list[str]
) -> tuple[str | None, list[tuple[str, frozenset[str] | None]]]:
    """The code without what it requires, and the names it gives to modules."""
    modules: list[tuple[str, frozenset[str] | None]] = []
    for found in _REQUIRED.finditer(bare):
        name = texts[int(found["at"])].removeprefix("node:")
        if name.endswith(".json") and name.startswith("."):
            continue
        if name not in _MODULES:
            return None, []
        listed = _MODULES[name]
        bound = found["bound"] or ""
        taken = re.findall(r"\w+", bound) if bound.startswith("{") else []
        taken += [found["taken"]] if found["taken"] else []
        if listed is not None and not set(taken) <= listed:
            return None, []
        if bound and not bound.startswith("{") and not found["taken"]:
            modules.append((bound, listed))
        elif not taken:
            return None, []
    return _REQUIRED.sub(lambda found: found["taken"] or "0", bare), modules


def _only_looks(rest: str, name: str, listed: frozenset[str] | None) -> bool:
    uses = re.findall(rf"(?<![\w.$]){re.escape(name)}\b(?:\s*\.\s*(\w+))?", rest)
    return listed is None or all(use in listed for use in uses)
