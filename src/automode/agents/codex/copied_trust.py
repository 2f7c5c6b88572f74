"""Copies what Codex knows of automode's hooks from the person's folder: it runs no other hooks.

Trust is a hash of the hook under a key that names its file and its place there. The hash stays the
same, so a wrong one is wrong in the copy, too.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterator

_WORD = re.compile(r"(?<!^)(?=[A-Z])")


def copied_trust(source: str, target: str, mark: str) -> str:
    """Between two folders of Codex's; in the target each of our hooks stands alone. `mark` tells
    ours. Why there is nothing to copy, where there is not."""
    try:
        with open(os.path.join(source, "config.toml"), "rb") as file:
            states = _states(tomllib.load(file))
        with open(os.path.join(source, "hooks.json"), "rb") as file:
            hooks: object = json.load(file)
    except (OSError, ValueError) as error:
        return f"nobody can say which hooks Codex trusts: {error}"
    tables = []
    for event, place in _places(hooks, mark):
        for folder in (source, os.path.realpath(source)):
            found = states.get(f"{folder}/hooks.json:{event}:{place}")
            if found is not None:
                key = json.dumps(f"{target}/hooks.json:{event}:0:0", ensure_ascii=False)
                tables.append(f"[hooks.state.{key}]\ntrusted_hash = {json.dumps(found)}\n")
                break
    if not tables:
        return "Codex trusts no hook of automode's"
    with open(os.path.join(target, "config.toml"), "a", encoding="utf-8") as file:
        file.write("\n" + "".join(tables))
    return ""


def _states(config: object) -> dict[str, str]:
    match config:
        case {"hooks": {"state": {**states}}}:
            return {
                str(key): str(state["trusted_hash"])
                for key, state in states.items()
                if isinstance(state, dict) and "trusted_hash" in state
            }
        case _:
            return {}


def _places(hooks: object, mark: str) -> Iterator[tuple[str, str]]:
    match hooks:
        case {"hooks": {**events}}:
            for event, groups in events.items():
                for number, group in enumerate(groups if isinstance(groups, list) else ()):
                    if mark in json.dumps(group):
                        yield _WORD.sub("_", str(event)).lower(), f"{number}:0"
        case _:
            return
