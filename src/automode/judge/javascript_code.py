"""What is proved of JavaScript: it only looks and prints, or it stays on its page.

Every function that is called, every name that is not the script's own and every field that is set
is listed. Code with anything else is not proved.
"""

import re
from collections.abc import Mapping

from automode.judge.words import patterns, word_lists, word_table
from automode.programs.python_values import readable_endings

_P = patterns("javascript_code")
_W = word_lists("javascript_code")
LONGEST_SCRIPT = 8_000
_INSIDE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)
CALL = re.compile(r"([\w$]+)\s*\(")
BARE_CALL = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]*)\s*\(")
_BARE = re.compile(r"(?<![\w$.@])([A-Za-z_$][\w$]*)")
_KEY = re.compile(r"([{,]\s*)[A-Za-z_$][\w$]*(?=\s*:)")
_GLOBALS = _W.keywords | _W.global_calls | frozenset("console JSON Math process Buffer".split())
_INLINE = r"(?:function\b|\(?[\w$\s,:\[\]{}]*\)?\s*=>)"
_MEMBER = re.compile(r"(?<=[\w$)\]@])\s*\[([^\[\]]*)\]")
_PROTOTYPE = re.compile(r"constructor|__|prototype")
_NAMED_FILE = re.compile(r"\s*(?:@\d+@|\d+|process\.argv\[\d+\])\s*")
_LAST_TEXT = re.compile(r"@(\d+)@[\s)]*$")
_PROCESS_USE = re.compile(r"\bprocess\b(?:\s*\.\s*(\w+))?")
LONGEST_PAGE_CODE = 20_000
_PAGE_NAME = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]*")
_PAGE_KEY = re.compile(r"([{,]\s*)[A-Za-z_$][\w$]*\s*:")
_ATTRIBUTES = re.compile(r"\bsetAttribute\s*\(\s*(?:@(\d+)@)?")
_CALLBACKS = frozenset({"resolve", "reject", "r", "done"})  # of a promise
_UNPACKED = re.compile(r"\}\s*=(?![=>])")
_UNPACKING = re.compile(r"\b(?:const|let|var)\s*\{")
_PAGE_PATH = re.compile(r"/(?![/\\])[\w./?=&%#-]*")


def _modules() -> Mapping[str, frozenset[str]]:
    return word_table("javascript_code", "modules")


def texts_of(code: str) -> tuple[str, ...] | None:
    """Every text in it: one may name a credential. None: nothing is proved of it."""
    if len(code) > LONGEST_SCRIPT:
        return None
    texts: list[str] = []
    bare = without_texts(code, texts)
    if bare is None or any(_PROTOTYPE.search(one) or "\\" in one[:1] for one in texts):
        return None
    rest, modules = _without_modules(bare, texts)
    if rest is None or _P.hidden.search(rest) or "require" in rest:
        return None
    taken = {name for one in _modules().values() for name in one}
    own = {name for found in _P.own.findall(rest) for name in found if name}
    process = _PROCESS_USE.findall(rest)
    shown = (
        set(CALL.findall(rest)) <= _W.called | own
        and set(BARE_CALL.findall(rest)) <= _W.global_calls | own | taken
        and _binds_all(rest, {name for name, _ in modules}, taken)
        and all(name in _W.process for name in process)
        and all(_only_looks(rest, name, listed) for name, listed in modules)
        and _members_known(rest)
        and all(_names_file(given, texts) for given in _P.read.findall(rest))
    )
    return tuple(texts) if shown else None


def _binds_all(rest: str, modules: set[str], taken: set[str]) -> bool:
    """Whether every name in it is one of the code's own or listed, and no listed one is bound to
    something else."""
    bound = names_bound(_P.bound, rest)
    spread = _KEY.sub(r"\1", rest.replace("...", " "))
    used = set(_BARE.findall(spread))
    return (
        not any(map(_P.nodes_own.fullmatch, bound)) and used <= _GLOBALS | bound | modules | taken
    )


def names_bound(pattern: re.Pattern[str], code: str) -> set[str]:
    """The names in all groups of what the pattern finds."""
    parts = (part for found in pattern.findall(code) for part in found)
    return {name for part in parts for name in re.findall(r"[A-Za-z_$][\w$]*", part)}


def _members_known(rest: str) -> bool:
    """A key that is only known when it runs may name anything: what it gives must not be called."""
    computed = [key for key in _MEMBER.findall(rest) if not _P.counted.fullmatch(key)]
    nested = re.search(r"\[[^\[\]]*\[[^\]]*\][^\]]*\]\s*\(", rest)
    return not nested and (not computed or not _P.handed.search(rest))


def _names_file(given: str, texts: list[str]) -> bool:
    if _NAMED_FILE.fullmatch(given):
        return True
    last = _LAST_TEXT.search(given)
    return last is not None and texts[int(last[1])].endswith(readable_endings())


def without_texts(code: str, texts: list[str]) -> str | None:
    """The code with a number in place of each text and pattern; None where it cannot be told what
    is a text. What a template computes is code like any other."""
    found: list[str] = []
    braces: list[bool] = []  # whether each open one belongs to a template
    place = 0
    while piece := _P.piece.search(code, place):
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
                place = _through_template(code, place, found, braces, texts)
            case "close" if braces and braces.pop():
                found.append(")+")
                place = _through_template(code, place, found, braces, texts)
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


def _through_template(
    code: str, place: int, found: list[str], braces: list[bool], texts: list[str]
) -> int:
    """To the end of a template, or to the code inside it; -1 where neither comes."""
    inside = _INSIDE.match(code, place)
    end = inside.end() if inside else place
    texts.append(code[place:end])
    found.append(f" @{len(texts) - 1}@ ")
    if code.startswith("${", end):
        braces.append(True)
        found.append(" +(")
        return end + 2
    return end + 1 if code.startswith("`", end) else -1


def _without_modules(
    bare: str, texts: list[str]
) -> tuple[str | None, list[tuple[str, frozenset[str]]]]:
    """The code without what it requires, and the names it gives to modules."""
    modules: list[tuple[str, frozenset[str]]] = []
    # `const a = require(x), b = 1` is two declarations.
    while (apart := _P.declared.sub(r"\1;const ", bare)) != bare:
        bare = apart
    for found in _P.required.finditer(bare):
        name = texts[int(found["at"])].removeprefix("node:")
        if name.endswith(".json") and name.startswith("."):
            continue
        if name not in _modules():
            return None, []
        listed = _modules()[name]
        bound = found["bound"] or ""
        taken = re.findall(r"\w+", bound) if bound.startswith("{") else []
        taken += [found["taken"]] if found["taken"] else []
        if not set(taken) <= listed:
            return None, []
        if bound and not bound.startswith("{") and not found["taken"]:
            modules.append((bound, listed))
        elif not taken:
            return None, []
    return _P.required.sub(lambda found: _in_its_place(found, texts), bare), modules


def _in_its_place(found: re.Match[str], texts: list[str]) -> str:
    """What is left of a `require`: the name that its data, or what was taken from it, has."""
    data = texts[int(found["at"])].endswith(".json")
    taken = found["taken"] or ""
    if not data and not taken:
        return "0"
    bound = f"const {found['bound']}=" if found["bound"] else ""
    return f"{bound}({{}}).{taken}" if data and taken else bound + (taken or "({})")


def _only_looks(rest: str, name: str, listed: frozenset[str]) -> bool:
    uses = re.findall(rf"(?<![\w.$]){re.escape(name)}\b(?:\s*\.\s*(\w+))?", rest)
    return all(use in listed for use in uses)


def page_code_looks(code: str) -> bool:
    return _is_listed(code, acting=False)


def stays_on_page(code: str) -> bool:
    """Whether it looks, clicks and fills in: nothing in it leads to another machine."""
    return _is_listed(code, acting=True)


def _is_listed(code: str, *, acting: bool) -> bool:
    texts: list[str] = []
    bare = without_texts(code, texts) if len(code) <= LONGEST_PAGE_CODE else None
    if bare is None:
        return False
    bare = bare.replace("...", " ")
    if _P.barred.search(bare) or _P.location.search(bare) or _P.window.search(bare):
        return False
    own = {name for found in _P.page_own.findall(bare) for name in found if name}
    listed = _W.page_looking | _W.page_acting if acting else _W.page_looking
    return (
        set(CALL.findall(bare)) <= listed | own
        and _page_names_known(bare, own)
        and _sets_known(bare, texts, acting=acting)
        and all(at and _P.attribute.fullmatch(texts[int(at)]) for at in _ATTRIBUTES.findall(bare))
    )


def _page_names_known(bare: str, own: set[str]) -> bool:
    """Whether every name is the script's own or listed, no listed one gets another meaning, and
    nothing is called that got its meaning elsewhere."""
    given = _P.assigned.findall(bare)
    assigned = set(given)
    bound = names_bound(_P.page_bound, bare)
    used = set(_PAGE_NAME.findall(_PAGE_KEY.sub(r"\1", bare)))
    changed = {name for name in own if given.count(name) > 1}
    meant_otherwise = (bound | assigned) - own - _CALLBACKS | changed
    return (
        used <= _W.page_globals | _W.page_keywords | bound | assigned | own
        and not (bound | assigned) & _W.page_globals
        and not meant_otherwise & set(BARE_CALL.findall(bare))
    )


def _sets_known(bare: str, texts: list[str], *, acting: bool) -> bool:
    if len(_UNPACKED.findall(bare)) > len(_UNPACKING.findall(bare)):
        return False
    made = set(_P.made.findall(bare))
    for found in _P.field_set.finditer(bare):
        if (found["base"] in made and not found["further"]) or found["base"] in _W.page_keywords:
            continue  # an object of the script's own
        field, text = found["field"] or "", texts[int(found["text"][1:-1])] if found["text"] else ""
        leads = found["base"] == "location" and (field == "hash" or _PAGE_PATH.fullmatch(text))
        if not acting or not (field in _W.settable or leads):
            return False
    return True
