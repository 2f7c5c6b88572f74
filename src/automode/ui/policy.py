"""Policy: the settings in force and where each comes from, what is wrong with them, tests, and an
editor of the person's own file."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from automode.assemble import builtins
from automode.config.keys import ROWS, Rules, entries_of
from automode.config.load import Loaded, State, Text, combine, read_file, rule_origin
from automode.config.places import replace_file
from automode.config.settings import Diagnostic, Level, Source
from automode.core.errors import BadCall, BadSettings
from automode.ui.checks import Finding
from automode.ui.filters import choices
from automode.ui.window import Entry, Fields, Window

ENTRY = Entry("/policy", "Policy")
_EMPTY = "{\n}\n"


def routes(window: Window) -> list[BaseRoute]:
    def page(request: Request) -> Response:
        project = request.query_params.get("project", "")
        loaded = window.load(project or None)
        with window.reading() as db:
            _, projects = choices(db)
        return window.page(
            request,
            "policy.html",
            project=project,
            projects=projects,
            values=[(key, json.dumps(one.value), one.place) for key, one in loaded.values.items()],
            lists=list(_lists(loaded)),
            diagnostics=loaded.diagnostics,
            findings=_criticism(window, loaded, project),
            file=own_file(loaded).file,
        )

    def editor(request: Request) -> Response:
        own = own_file(window.load(None))
        return window.page(
            request,
            "policy_edit.html",
            text=own.data.decode("utf-8", "replace") or _EMPTY,
            digest=digest_of(own),
            keys=[(row.key, row.meaning, json.dumps(row.default)) for row in ROWS],
            file=own.file,
        )

    def check(request: Request, given: Fields) -> Response:
        loaded = _with_text(window.load(None), given.get("text", ""))
        return window.page(
            request,
            "policy_checked.html",
            diagnostics=_of_own_file(loaded),
            findings=_criticism(window, loaded, ""),
            saved="",
        )

    def save(request: Request, given: Fields) -> Response:
        text = given.get("text", "").replace("\r\n", "\n")
        saved = save_text(window.load(None), text, given.get("digest", ""))
        loaded = window.load(None)
        return window.page(
            request,
            "policy_checked.html",
            diagnostics=_of_own_file(loaded),
            findings=_criticism(window, loaded, ""),
            saved=saved,
            digest=digest_of(own_file(loaded)),
        )

    def tests(request: Request, given: Fields) -> Response:
        file, project = given.get("file", "").strip(), given.get("project", "")
        if not file:
            raise BadCall("no file of cases was named", "write its path")
        if window.checks is None:
            raise BadCall("no cases can be tried here", "use `automode policy test`")
        outcomes = window.checks.try_cases(file, project or None)
        return window.page(request, "policy_tests.html", outcomes=outcomes)

    return [
        Route("/policy", page),
        Route("/policy/edit", editor),
        window.trial("/policy/check", check),
        window.change("/policy/save", save),
        window.trial("/policy/tests", tests),
    ]


def own_file(loaded: Loaded) -> Text:
    """The person's own settings, there or not. Raises BadSettings where files are ignored."""
    for text in loaded.sources:
        if text.source is Source.USER:
            return text
    raise BadSettings("--isolated ignores every settings file", "leave it out")


def digest_of(text: Text) -> str:
    return hashlib.sha256(text.data).hexdigest()


def save_text(loaded: Loaded, text: str, shown: str) -> str:
    """Writes the person's own file; says where. Raises BadSettings for what has an error, and where
    the file is not the one that was `shown`."""
    own = own_file(loaded)
    now = read_file(Source.USER, own.file)
    if digest_of(now) != shown:
        raise BadSettings(
            f"`{own.file}` was changed meanwhile, and nothing was saved",
            "copy your text, load the page again and put it in",
        )
    wrong = [one for one in _of_own_file(_with_text(loaded, text)) if one.level is Level.ERROR]
    if wrong:
        raise BadSettings(f"nothing was saved: {wrong[0]}", "mend it, or leave the key out")
    replace_file(own.file, text.encode())
    return own.file


def _with_text(loaded: Loaded, text: str) -> Loaded:
    """The settings as they would be with another text in the person's own file."""
    own = own_file(loaded)
    other = replace(own, state=State.READ, data=text.encode(), diagnostics=())
    sources = [other if one is own else one for one in loaded.sources]
    return combine(sources, builtins())


def _of_own_file(loaded: Loaded) -> tuple[Diagnostic, ...]:
    return tuple(one for one in loaded.diagnostics if one.source is Source.USER)


def _criticism(window: Window, loaded: Loaded, project: str) -> Sequence[Finding]:
    return () if window.checks is None else window.checks.criticise(loaded, project or None)


def _lists(loaded: Loaded) -> Iterator[tuple[str, str, int, list[tuple[str, str]]]]:
    """Each list: its key, what it means, how many entries are built in, and the others."""
    for row in sorted(ROWS, key=lambda row: not row.key.startswith("permissions.")):
        if isinstance(row.kind, Rules):
            entries = entries_of(row, loaded.settings)
            own = [one for one in entries if one.source is not Source.BUILT_IN]
            shown = [("(hidden)" if row.secret else one.text, rule_origin(one)) for one in own]
            yield row.key, row.meaning, len(entries) - len(own), shown
