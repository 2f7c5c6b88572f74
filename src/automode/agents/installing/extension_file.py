"""An extension of automode's as it is put into an agent: one file that knows its paths."""

import json
import os
import re
from collections.abc import Callable, Mapping

from automode.agents.installing.apply import present
from automode.agents.installing.found import Registration, misled_extension
from automode.agents.installing.plan import CannotInstall, Scope, Transport
from automode.agents.installing.site import Program
from automode.daemon.frames import settings_word

BLANK = "const INSTALLED = {/*automode:installed*/};"
SHARED = "/*automode:wire*/"
_HERE = os.path.dirname(os.path.abspath(__file__))
_WIRE = os.path.join(_HERE, "wire.ts")
_FILLED = re.compile(rb"^const INSTALLED = (\{.*\});\r?$", re.MULTILINE)


def template_of(agent: str, name: str = "automode.ts") -> str:
    """The agent's own part of an extension, as it is shipped."""
    return os.path.join(os.path.dirname(_HERE), agent, name)


def filled(template: str, program: Program, **more: object) -> bytes:
    """The extension as it is installed. `more`: what this one has to know beside the paths.
    Raises CannotInstall."""
    text = whole_text(template)
    if text.count(BLANK) != 1:
        raise CannotInstall(
            f"`{template}` has no place for its paths: automode's installation is incomplete",
            "install automode again",
        )
    known = json.dumps({**paths(program), **more})
    return text.replace(BLANK, f"const INSTALLED = {known};").encode()


def whole_text(template: str) -> str:
    """With what all extensions share: agents load one file."""
    return _read(template).replace(SHARED, _read(_WIRE).strip())


def paths(program: Program) -> dict[str, str]:
    return {
        "python": program.python,
        "client": program.client,
        "package": program.package,
        "state": program.state,
        "config": program.config,
        "version": program.version,
        "settings": settings_word(program.config),
    }


def paths_in(data: bytes) -> Mapping[str, object] | None:
    """What an installed extension says of itself; None: it is none of ours."""
    if BLANK.encode() in data:
        return {}
    found = _FILLED.search(data)
    try:
        known: object = json.loads(found[1]) if found else None
    except ValueError:
        return None
    return known if isinstance(known, dict) and "client" in known else None


def registered_extension(
    agent: str,
    scope: Scope,
    path: str,
    program: Program,
    wanted: Callable[[Program, Mapping[str, object]], bytes],
) -> Registration | None:
    """`wanted`: the extension as this automode would write it, by what the found one says."""
    try:
        _, data = present(path)
    except CannotInstall as error:
        return Registration(agent, scope, path, wrong=(str(error),))
    known = None if data is None else paths_in(data)
    if data is None or known is None:
        return None
    version = known.get("version")
    return Registration(
        agent,
        scope,
        path,
        version if isinstance(version, str) else "",
        Transport.EXTENSION,
        tuple(misled_extension(data, known, program, wanted(program, known))),
    )


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise CannotInstall(
            f"`{path}` cannot be read: automode's installation is incomplete",
            "install automode again",
        ) from error
