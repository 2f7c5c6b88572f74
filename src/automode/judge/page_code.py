"""What a script in a page does there: it only looks, or it changes no more than the page itself.

Every function that is called, every name that is not the script's own and every field that is set
is listed here. A script with anything else may tell another machine what it saw.
"""

import re

from automode.judge.javascript_code import BARE_CALL, CALL, names_bound, without_texts

LONGEST = 20_000
_LOOKING = frozenset(
    "if for while return function catch switch typeof querySelector querySelectorAll getElementById"
    " getElementsByClassName getElementsByTagName getBoundingClientRect getClientRects getBBox"
    " getComputedStyle getPropertyValue getAttribute getAttributeNames hasAttribute closest matches"
    " contains compareDocumentPosition elementFromPoint elementsFromPoint getSelection matchMedia"
    " map filter forEach join slice splice toString stringify parse trim trimStart trimEnd includes"
    " startsWith endsWith from entries keys values find findIndex findLast some every reduce flat"
    " flatMap match matchAll replace replaceAll split indexOf lastIndexOf test exec sort reverse"
    " concat push pop shift unshift round floor ceil abs max min pow sqrt now toFixed toLowerCase"
    " toUpperCase toISOString getTime substring substr charAt charCodeAt codePointAt at fromEntries"
    " isArray has get set add Set Map Date Promise Error RegExp setTimeout"
    " requestAnimationFrame resolve reject all then log warn info error repeat padStart padEnd"
    " scrollTo scrollBy scrollIntoView scroll getItem getEntriesByType getEntriesByName String"
    " Number Boolean Array Object Math parseInt parseFloat isNaN isFinite localeCompare item"
    " async await toJSON r done textContent innerText title url waitForTimeout"
    " waitForSelector allTextContents"
    " allInnerTexts isVisible isEnabled isChecked inputValue count locator getByRole getByText"
    " getByTestId getByLabel first last nth waitFor boundingBox".split()
)
_ACTING = frozenset(
    "click focus blur dispatchEvent Event InputEvent MouseEvent KeyboardEvent PointerEvent remove"
    " toggle removeAttribute toggleAttribute setAttribute setItem removeItem clear reload select"
    " check uncheck hover".split()
)
_SETTABLE = frozenset(
    "value checked textContent innerText scrollTop scrollLeft className selected selectedIndex"
    " disabled hidden open".split()
)
_ATTRIBUTE = re.compile(
    r"(?:data-[\w-]+|aria-[\w-]+|class|value|checked|open|hidden|disabled|role|id|tabindex|lang|dir)"
)
_GLOBALS = frozenset(
    "document window JSON Object Array Math Number String Boolean Promise console getComputedStyle"
    " location performance sessionStorage localStorage undefined null true false NaN Infinity Set"
    " Map Date Error RegExp setTimeout requestAnimationFrame parseInt parseFloat isNaN isFinite"
    " matchMedia innerWidth innerHeight scrollX scrollY devicePixelRatio scrollTo scrollBy Event"
    " InputEvent MouseEvent KeyboardEvent PointerEvent Node Element HTMLElement".split()
)
_KEYWORDS = frozenset(
    "async await const let var return if else for while do of in new typeof instanceof function try"
    " catch finally throw break continue switch case default delete void".split()
)
_BARRED = re.compile(
    r"\\|\]\s*\(|\?\.\s*\(|(?<!\})\)\s*\(|\}\s*\)\s*\((?!\s*\))|\.\s*(?:constructor|prototype|__(?:proto|define|"
    r"lookup)\w*|bind|call|apply|cookie|writeln?|open(?=\s*[(,)])|opener|defaultView|ownerDocument|"
    r"contentWindow|contentDocument|submit|requestSubmit|execCommand|srcdoc)\b|\b(?:class|yield|with)\b|"
    r"\b(?:window|document|location|performance)\s*(?:\?\.)?\s*\[|"
    # Fields that get a value without a sign of equality after them, and code in a text.
    r"\bfor\s*(?:await\s*)?\(\s*(?!const\b|let\b|var\b|;)|"
    r"\bsetTimeout\s*\(\s*(?!(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>|function\b|(?:r|resolve|done)\s*[,)])"
)
# What may be taken from the two names that lead everywhere.
_LOCATION = re.compile(
    r"\blocation\b(?!\s*\.\s*(?:href|pathname|search|hash|host|hostname|origin|port|protocol|reload)\b)"
)
_WINDOW = re.compile(
    r"\bwindow\b(?!\s*\.\s*(?:inner\w+|outer\w+|scroll\w*|page[XY]Offset|devicePixelRatio|matchMedia|"
    r"getComputedStyle|getSelection|document|location|localStorage|sessionStorage|performance|"
    r"screen|visualViewport|__\w+)\b)"
)
_OWN = re.compile(
    r"\bfunction\s+([\w$]+)|(?:\b(?:const|let|var)\s+|,\s*)([\w$]+)\s*=\s*(?:async\s*)?"
    r"(?:\([^()]*\)|[\w$]+)\s*=>"
)
_BOUND = re.compile(
    r"\b(?:const|let|var)\s+([\w$]+|[\[{][^=;]*?[\]}])|\(([^()]*)\)\s*=>|([\w$]+)\s*=>|"
    r"\bfunction\s*[\w$]*\s*\(([^()]*)\)|\bcatch\s*\(\s*([\w$]+)|,\s*([\w$]+)\s*=(?![=>])"
)
_NAME = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]*")
_KEY = re.compile(r"([{,]\s*)[A-Za-z_$][\w$]*\s*:")
_MADE = re.compile(r"\b(?:const|let|var)\s+([\w$]+)\s*=\s*(?:\{|\[(?!\s*\.\.\.))")
_SET = re.compile(
    r"(?P<base>[\w$]*)(?P<further>[\])]?)\s*(?:\.\s*(?P<field>[\w$]+)|\[[^\]]*\])\s*"
    r"(?:[-+*/|&?]{0,2}=(?![=>])|\+\+|--)\s*(?P<text>@\d+@(?=\s*[;,)}\n]|\s*$))?"
)
_ASSIGNED = re.compile(r"(?<![\w$.\]])([A-Za-z_$][\w$]*)\s*(?:[-+*/|&?]{0,2}=(?![=>])|\+\+|--)")
_ATTRIBUTES = re.compile(r"\bsetAttribute\s*\(\s*(?:@(\d+)@)?")


def only_looks(code: str) -> bool:
    return _is_listed(code, acting=False)


def stays_on_page(code: str) -> bool:
    """Whether it looks, clicks and fills in: nothing in it leads to another machine."""
    return _is_listed(code, acting=True)


def _is_listed(code: str, *, acting: bool) -> bool:
    texts: list[str] = []
    bare = without_texts(code, texts) if len(code) <= LONGEST else None
    if bare is None:
        return False
    bare = bare.replace("...", " ")
    if _BARRED.search(bare) or _LOCATION.search(bare) or _WINDOW.search(bare):
        return False
    own = {name for found in _OWN.findall(bare) for name in found if name}
    listed = _LOOKING | _ACTING if acting else _LOOKING
    return (
        set(CALL.findall(bare)) <= listed | own
        and _names_known(bare, own)
        and _sets_known(bare, texts, acting=acting)
        and all(at and _ATTRIBUTE.fullmatch(texts[int(at)]) for at in _ATTRIBUTES.findall(bare))
    )


def _names_known(bare: str, own: set[str]) -> bool:
    """Whether every name is the script's own or listed, no listed one gets another meaning, and
    nothing is called that got its meaning elsewhere."""
    given = _ASSIGNED.findall(bare)
    assigned = set(given)
    bound = names_bound(_BOUND, bare)
    used = set(_NAME.findall(_KEY.sub(r"\1", bare)))
    changed = {name for name in own if given.count(name) > 1}
    meant_otherwise = (bound | assigned) - own - _CALLBACKS | changed
    return (
        used <= _GLOBALS | _KEYWORDS | bound | assigned | own
        and not (bound | assigned) & _GLOBALS
        and not meant_otherwise & set(BARE_CALL.findall(bare))
    )


_CALLBACKS = frozenset({"resolve", "reject", "r", "done"})  # of a promise


def _sets_known(bare: str, texts: list[str], *, acting: bool) -> bool:
    if len(_UNPACKED.findall(bare)) > len(_UNPACKING.findall(bare)):
        return False
    made = set(_MADE.findall(bare))
    for found in _SET.finditer(bare):
        if (found["base"] in made and not found["further"]) or found["base"] in _KEYWORDS:
            continue  # an object of the script's own
        field, text = found["field"] or "", texts[int(found["text"][1:-1])] if found["text"] else ""
        leads = found["base"] == "location" and (field == "hash" or _PATH.fullmatch(text))
        if not acting or not (field in _SETTABLE or leads):
            return False
    return True


_UNPACKED = re.compile(r"\}\s*=(?![=>])")
_UNPACKING = re.compile(r"\b(?:const|let|var)\s*\{")
_PATH = re.compile(r"/(?![/\\])[\w./?=&%#-]*")
