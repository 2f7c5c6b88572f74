"""Reads every source of settings: files, and variables of the environment."""

from dataclasses import dataclass
from enum import StrEnum

from automode.config.diagnostics import Diagnostic, Level, Source
from automode.config.disk import content
from automode.config.jsonc import LARGEST_BYTES
from automode.config.places import Places
from automode.config.trust import trusted
from automode.core.errors import BadSettings


class State(StrEnum):
    READ = "read"
    MISSING = "missing"
    UNTRUSTED = "not trusted"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Text:
    """One source: what it is called, what became of reading it, and what it holds."""

    source: Source
    file: str
    state: State
    data: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()


def read_sources(places: Places) -> tuple[Text, ...]:
    """Every source, weakest first."""
    return (
        *(_file(Source.USER, file) for file in places.user),
        *(_local(file, places.trust_file) for file in places.local),
        *(_variable(name, places.environment.get(name, "")) for name in places.variables),
        *(_file(Source.MANAGED, file) for file in places.managed),
        *(_file(Source.SHARED, file) for file in places.shared),
    )


def _unreadable(source: Source, file: str, message: str) -> Text:
    """A source that is there and cannot be read may hide a prohibition: it closes."""
    finding = Diagnostic(Level.ERROR, file, "", None, message, closes=True, source=source)
    return Text(source, file, State.UNREADABLE, diagnostics=(finding,))


def _file(source: Source, file: str) -> Text:
    try:
        data = content(file)
    except BadSettings as error:
        return _unreadable(source, file, str(error))
    if data is None:
        return Text(source, file, State.MISSING)
    return Text(source, file, State.READ, data)


def _local(file: str, trust_file: str) -> Text:
    """A project-local file counts only as the very bytes that the user trusted."""
    text = _file(Source.LOCAL, file)
    if text.state is not State.READ:
        return text
    try:
        if trusted(trust_file, file, text.data):
            return text
    except BadSettings as error:
        return _untrusted(file, f"ignored: {error}", error.hint)
    return _untrusted(
        file, "ignored: not trusted as it is now", "read it, then run `automode trust`"
    )


def _untrusted(file: str, message: str, hint: str) -> Text:
    finding = Diagnostic(
        Level.WARNING, file, "", None, message, hint, closes=False, source=Source.LOCAL
    )
    return Text(Source.LOCAL, file, State.UNTRUSTED, diagnostics=(finding,))


def _variable(name: str, value: str) -> Text:
    if not value.strip():
        return Text(Source.ENVIRONMENT, name, State.MISSING)
    data = value.encode("utf-8", "surrogatepass")  # bytes that are no UTF-8 stay none
    if len(data) > LARGEST_BYTES:
        return _unreadable(Source.ENVIRONMENT, name, f"larger than {LARGEST_BYTES} bytes")
    return Text(Source.ENVIRONMENT, name, State.READ, data)
