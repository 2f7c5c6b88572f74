"""Patterns against URLs and against the inputs of tools nobody described: canonical JSON."""

import ipaddress
import json
import re
from dataclasses import dataclass, replace
from urllib.parse import unquote

from automode.core.call import Delegate, ToolCall
from automode.core.tool_input import input_texts
from automode.core.workspace import Workspace
from automode.rules.path_match import Protected, unprotected
from automode.rules.pattern import Match, matches

INPUT_LIMIT = 1_048_576  # characters of JSON past which nothing is matched for sure
_STRINGS_LIMIT = 1000
_DOMAIN = "domain:"
_DEFAULT_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
_SCHEME = re.compile(r"(https?|wss?|ftp|file)(?=:)|[a-z][a-z0-9+.-]*(?=://)", re.IGNORECASE)
_ORDINARY = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+(?:[/?#]|$)")


@dataclass(frozen=True, slots=True)
class Url:
    """A URL in one spelling. `plain` when every reader of URLs would read it the same way."""

    text: str
    host: str
    plain: bool


def url(typed: str) -> Url:
    """Readers of URLs disagree about backslashes, blanks and what stands before `@`. This follows
    browsers, and says so in `plain` when others may not."""
    clean = "".join(letter for letter in typed.strip() if letter not in "\t\r\n").replace("\\", "/")
    scheme, rest = _schemed(clean)
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    path = rest[len(authority) :]
    place = authority.rpartition("@")[2]
    name, colon, port = place.partition(":") if not place.startswith("[") else _bracketed(place)
    host = _host(name)
    kept = f":{port}" if colon and port not in ("", _DEFAULT_PORTS.get(scheme)) else ""
    segments = unquote(path).replace("\\", "/").split("/")
    ordinary = clean == typed and typed.isprintable() and " " not in typed
    plain = ordinary and ".." not in segments and bool(_ORDINARY.match(typed))
    return Url(f"{scheme}://{host}{kept}{path or '/'}", host, plain)


def _schemed(text: str) -> tuple[str, str]:
    found = _SCHEME.match(text)
    if found:
        return found[0].lower(), text[found.end() + 1 :].lstrip("/")
    return "https", text.lstrip("/")


def _bracketed(place: str) -> tuple[str, str, str]:
    inside, _, rest = place.partition("]")
    return f"{inside}]", rest[:1], rest[1:]


def _host(name: str) -> str:
    """Lower case, decoded, punycode, without the final dot; numbers as the address they mean."""
    text = unquote(name).casefold().rstrip(".")
    if text.startswith("["):
        try:
            address = ipaddress.IPv6Address(text.strip("[]").partition("%")[0])
        except ValueError:
            return text
        return str(address.ipv4_mapped or f"[{address}]")
    number = _ipv4(text)
    if number is not None:
        return number
    try:
        return text.encode("idna").decode("ascii")
    except UnicodeError:
        return text


def _ipv4(text: str) -> str | None:
    """`0x7f.1`, `2130706433` and `017700000001` are all 127.0.0.1."""
    parts = text.split(".")
    if len(parts) > 4:
        return None
    try:
        numbers = [int(part, 0 if not re.match(r"0\d", part) else 8) for part in parts]
        *high, low = numbers
        value = sum(number << (24 - 8 * index) for index, number in enumerate(high)) + low
        return str(ipaddress.IPv4Address(value))
    except ValueError:
        return None


def url_match(glob: str, typed: str) -> Match:
    """For deny and ask: any way of reading the URL is enough."""
    forms = {url(typed), url(typed.replace("\\", ""))}
    if "@" in typed:  # what one reader takes for credentials another takes for the host
        forms |= {url("https://" + part) for part in re.split(r"[/\\@]+", typed) if part}
    forms |= {replace(form, text=unquote(form.text)) for form in forms}
    if any(_url_fits(glob, form) for form in forms) or matches(glob, typed):
        return Match.YES
    return Match.NO


def url_covered(glob: str | None, typed: str) -> bool:
    """For allow: one reading only, and it must match."""
    form = url(typed)
    return form.plain and (glob is None or _url_fits(glob, form))


def _url_fits(glob: str, form: Url) -> bool:
    if glob.casefold().startswith(_DOMAIN):
        wanted = glob[len(_DOMAIN) :].strip().removeprefix("*.")
        domain = _host(wanted) if "*" not in wanted else wanted.casefold()
        if not domain:
            return False
        return matches(domain, form.host) or matches(f"*.{domain}", form.host)
    scheme, separator, rest = glob.partition("://")
    host, slash, path = rest.partition("/")
    lowered = f"{scheme.casefold()}{separator}{host.casefold()}{slash}{path}" if separator else glob
    globs = (lowered, f"{lowered}/") if separator and not slash and "*" not in host else (lowered,)
    texts = (form.text, form.text.partition("://")[2])
    return any(matches(one, text) for one in globs for text in texts)


def canonical_json(value: object) -> str | None:
    """`value` with sorted keys and no blanks; None when it cannot be written so."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None
    return text if len(text) <= INPUT_LIMIT else None


def input_match(glob: str, call: ToolCall) -> Match:
    """For deny and ask on any other tool: its canonical JSON; for delegation also the prompt."""
    text = canonical_json(dict(call.input))
    if text is None:
        return Match.COULD
    loose = json.dumps(dict(call.input), sort_keys=True, ensure_ascii=False)  # as people write it
    prompt = call.action.prompt if isinstance(call.action, Delegate) else text
    return Match.YES if any(matches(glob, one) for one in (text, loose, prompt)) else Match.NO


def input_covered(
    glob: str | None, call: ToolCall, workspace: Workspace, protected: Protected
) -> bool:
    """For allow: the canonical JSON, and no text in it that names a protected path."""
    text = canonical_json(dict(call.input))
    if text is None or (glob is not None and not matches(glob, text)):
        return False
    strings = list(input_texts(call.input))
    if len(strings) > _STRINGS_LIMIT:
        return False
    paths = (one for one in strings if 0 < len(one) < 4096 and "\n" not in one and "\0" not in one)
    return all(unprotected(one, workspace, protected) for one in paths)
