"""Which project-local files, and which plug-ins inside of agents, the user has trusted: by path and
content, so that what has changed is untrusted again."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping

from automode.config.jsonc import Leaf, Node, Object, read
from automode.config.places import content, replace_file, writable_by_others
from automode.core.errors import BadSettings

_SHA256_LENGTH = 64


def is_trusted(trust_file: str, project_file: str, data: bytes) -> bool:
    """Whether the user trusts `project_file` with exactly the content `data`. BadSettings when the
    trust file cannot be used: then nothing is trusted."""
    return _book(trust_file).get(_place(project_file)) == _digest(data)


def trust(trust_file: str, project_file: str, data: bytes) -> str:
    """Trusts `project_file` with exactly the content `data`; returns its SHA-256. BadSettings when
    it cannot be."""
    digest = _digest(data)
    trust_folders(trust_file, {_place(project_file): digest})
    return digest


def untrust(trust_file: str, project_file: str) -> bool:
    """Takes trust back, also from a file that is gone; whether there was any."""
    book = _book(trust_file)
    found = book.pop(os.path.realpath(project_file), None) is not None
    if found:
        _write(trust_file, book)
    return found


def trusts_in(trust_file: str) -> Callable[[str, str], bool]:
    """Whether the user has trusted a folder, by its real path, with all that this digest stands
    for. A trust file that cannot be used trusts nothing."""

    def trusts(folder: str, digest: str) -> bool:
        try:
            return bool(digest) and _book(trust_file).get(folder) == digest
        except BadSettings:
            return False

    return trusts


def trust_folders(trust_file: str, digests: Mapping[str, str]) -> None:
    """Raises BadSettings."""
    _write(trust_file, {**_book(trust_file), **digests})


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _place(project_file: str) -> str:
    """The path that trust is bound to. A link out of the project is refused: what was trusted in
    one project must not count in another that links to it."""
    try:
        real = os.path.realpath(project_file)
        project = os.path.realpath(os.path.dirname(os.path.dirname(project_file)))
    except (OSError, ValueError) as error:
        raise BadSettings(f"`{project_file}` cannot be resolved") from error
    if os.path.commonpath([real, project]) != project:
        raise BadSettings(
            f"`{project_file}` is a link that leaves its project", "copy the file into the project"
        )
    return real


def _book(trust_file: str) -> dict[str, str]:
    """Path to SHA-256. BadSettings when the file is there and anything about it is not as written
    by `trust`."""
    hint = "delete it and run `automode trust` again"
    try:
        data = content(trust_file)
        if data is None:
            return {}
        document = read(data)
    except BadSettings as error:
        raise BadSettings(f"nothing is trusted: `{trust_file}`: {error}", hint) from error
    if writable_by_others(trust_file):
        message = f"nothing is trusted: `{trust_file}` is writable by others"
        raise BadSettings(message, "run `chmod 600` on it")
    book = _entries(document.root)
    if book is None or document.duplicates:
        message = f"nothing is trusted: `{trust_file}` is corrupt"
        raise BadSettings(message, hint)
    return book


def _entries(root: Node) -> dict[str, str] | None:
    if not isinstance(root, Object):
        return None
    book: dict[str, str] = {}
    for member in root.children:
        match member.value:
            case Leaf(str(digest)) if len(digest) == _SHA256_LENGTH:
                book[member.key] = digest
            case _:
                return None
    return book


def _write(trust_file: str, book: dict[str, str]) -> None:
    text = json.dumps(book, indent=2, sort_keys=True) + "\n"
    try:
        replace_file(trust_file, text.encode())
    except (OSError, ValueError) as error:
        raise BadSettings(f"`{trust_file}` cannot be written: {error}") from error
