"""The folders of a project in which agents look for its settings."""

import os

from automode.facts.settings_text import file_bytes

MOST_FOLDERS = 64  # between a folder and the root of its repository
_LONGEST_POINTER = 4_096  # bytes of a worktree's `.git`
_WORKTREES = "/.git/worktrees/"


def project_folders(root: str) -> tuple[str, ...]:
    """Agents differ in where they look between the folder they start in and its repository's root;
    one of them also looks into the main checkout of a worktree."""
    found: list[str] = []
    folder = os.path.normpath(os.path.join("/", root))
    while len(found) < MOST_FOLDERS:
        found.append(folder)
        git = os.path.join(folder, ".git")
        if os.path.lexists(git):
            main = _main_checkout(git)
            if main or not os.path.isfile(git):  # in a submodule some agents climb on
                return (*found, *main)
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return tuple(found)  # no repository: some agents look in every folder above


def _main_checkout(git: str) -> tuple[str, ...]:
    try:
        data = file_bytes(git)[:_LONGEST_POINTER]
    except (OSError, ValueError):
        return ()  # a folder: this is the main checkout
    pointer = data.decode("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
    main, marked, _ = os.path.join(os.path.dirname(git), pointer).partition(_WORKTREES)
    return (os.path.normpath(main),) if marked and "\0" not in main else ()
