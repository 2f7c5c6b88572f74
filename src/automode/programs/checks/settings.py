"""Settings of a project that only hold what is known to be harmless.

Each function gets the text of a file that a program picks up from the folder. It says yes only
where every key is on a list: none that names a program, a module, a server or a credential.
"""

import json
import re
import tomllib

from automode.shell.word_lists import word_lists

WORDS = word_lists("automode.programs")

_PLAIN = re.compile(r"[\w.*@/ ^~>=<|+-]*")
_NPM_KEYS = WORDS["npm-settings"]


def npmrc(text: str) -> bool:
    """No `registry`: it gets the tokens of the settings."""
    for line in text.splitlines():
        key, _, value = (part.strip().strip("\"'") for part in line.partition("="))
        if not key or key[0] in "#;":
            continue
        known = key.removesuffix("[]") in _NPM_KEYS and _PLAIN.fullmatch(value)
        if not known:
            return False
    return True


_MANAGER = re.compile(r"(npm|yarn|pnpm|bun)@\d[\w.-]*(\+sha\d+\.[\w+/=-]+)?")


def package_json(text: str) -> bool:
    """The package manager that it names is one of the usual ones, by its version."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, dict) or "devEngines" in found:
        return False
    manager = found.get("packageManager", "npm@1")
    own = found.get("pnpm", {})
    return (
        isinstance(manager, str)
        and _MANAGER.fullmatch(manager) is not None
        and isinstance(own, dict)
        and "configDependencies" not in own
    )


_RANGE = re.compile(r"(npm:(@[\w.-]+/)?[\w.-]+@)?[\w.*^~>=<| +-]*|workspace:[\w.*^~]*")


def yarn_package(text: str) -> bool:
    """Every package that it names is one of the registry, by its version."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, dict) or "workspaces" in found:
        return False
    tables = [
        value
        for key, value in found.items()
        if key.lower().endswith(("dependencies", "resolutions"))
    ]
    versions = [one for table in tables if isinstance(table, dict) for one in table.values()]
    return all(isinstance(one, str) and _RANGE.fullmatch(one) for one in versions)


def _outer_keys(text: str, known: frozenset[str]) -> bool:
    """Whether each line that is not indented starts with a known key, as most YAML is written."""
    if re.search(r"[\\!&*{}\t\r\x85\u2028\u2029]|^(---|\.\.\.|[?\"'\[])", text, re.MULTILINE):
        return False
    lines = [line for line in text.splitlines() if line.strip() and line.lstrip()[0] != "#"]
    outer = [line for line in lines if line[0] not in " -"]
    return lines[:1] == outer[:1] and all(line.partition(":")[0] in known for line in outer)


_YARN_KEYS = WORDS["yarn-settings"]
_YARN_1_LINE = re.compile(
    r"|#.*|(save-prefix|network-timeout|disable-self-update-check|ignore-engines|lastUpdateCheck"
    r"|--install\.(frozen-lockfile|ignore-engines|ignore-optional|pure-lockfile))"
    r" [\"']?[\w.^~]*[\"']?"
)
_WORKSPACE_KEYS = WORDS["pnpm-settings"]


def yarnrc_yml(text: str) -> bool:
    return _outer_keys(text, _YARN_KEYS)


def yarnrc(text: str) -> bool:
    return all(_YARN_1_LINE.fullmatch(line.strip()) for line in text.splitlines())


def pnpm_workspace(text: str) -> bool:
    globs = text.replace("*", "").replace("!", "")  # `- "packages/*"`, `- "!**/test"`
    return _outer_keys(globs, _WORKSPACE_KEYS)


_CARGO_KEYS = (
    *("alias.xtask.", "term.", "profile.", "build.jobs.", "build.incremental.", "net.retry."),
    *("net.offline.", "registries.crates-io.protocol."),
)


def cargo_config(text: str) -> bool:
    """It names no compiler, wrapper, linker, flags, registry or source of credentials. An alias may
    stand in for a command that cargo does not have itself, such as `fmt`."""
    found = _table(text)
    return found is not None and all(f"{key}.".startswith(_CARGO_KEYS) for key in _keys(found))


def _keys(table: dict[str, object], above: str = "") -> list[str]:
    found: list[str] = []
    for key, value in table.items():
        whole = f"{above}{key}"
        # A key with a dot in quotes is no path of keys: it is not known.
        if "." in key:
            return ["?"]
        found += _keys(value, f"{whole}.") if isinstance(value, dict) and value else [whole]
    return found


def cargo_project(text: str) -> bool:
    """It leads to no other project, whose files would be read too."""
    found = _table(text)
    return found is not None and not {"workspace", "path", "git", "replace", "patch"} & {
        part for key in _keys(found) for part in key.split(".")
    }


_TOOLCHAIN = re.compile(r"^\s*toolchain\b(?!\s+(default|go\d+(\.\d+)*((rc|beta)\d+)?)\s*(//.*)?$)")


def go_mod(text: str) -> bool:
    """The toolchain that it asks for is a released one."""
    return not any(_TOOLCHAIN.search(line) for line in text.splitlines())


_VERSIONS = re.compile(r"|#.*|[\w.-]+(\s+(?!path:|ref:)[\w.:-]+)+\s*(#.*)?")


def tool_versions(text: str) -> bool:
    """Each line names a tool and its versions, no folder."""
    return all(_VERSIONS.fullmatch(line.strip()) for line in text.splitlines())


_VERSION = re.compile(r"[\d.\s]*|(?:cpython|pypy)[\d.@-]*\s*")


def version(text: str) -> bool:
    """A version file that names versions by number, and no folder or program."""
    return _VERSION.fullmatch(text) is not None


def uv_project(text: str) -> bool:
    """A `pyproject.toml` that says nothing to uv: it may name an interpreter or an index."""
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    tool = found.get("tool", {})
    return isinstance(tool, dict) and not {"uv"} & tool.keys()


_RUFF_KEYS = WORDS["ruff-settings"]


def ruff(text: str) -> bool:
    """None of the settings makes checking change files, or brings in another file."""
    table = _table(text)
    return table is not None and table.keys() <= _RUFF_KEYS


def ruff_project(text: str) -> bool:
    table = _table(text, "tool", "ruff")
    return table is not None and table.keys() <= _RUFF_KEYS


def poetry(text: str) -> bool:
    table = _table(text)
    return table is not None and set(_keys(table)) <= {
        "virtualenvs.create",
        "virtualenvs.in-project",
    }


def _table(text: str, *path: str) -> dict[str, object] | None:
    """The table of TOML at this path, empty where there is none; None where it cannot be read."""
    try:
        found: object = tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
    for key in path:
        found = found.get(key, {}) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def global_json(text: str) -> bool:
    """It names a version of the SDK, no folder of one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, dict) or not found.keys() <= {"sdk"}:
        return False
    sdk = found.get("sdk", {})
    return isinstance(sdk, dict) and sdk.keys() <= {"version", "rollForward", "allowPrerelease"}


def no_codespell(text: str) -> bool:
    return "codespell" not in text.lower()


_JUST_OTHER = re.compile(r"^\s*(import|mod|!include)\b|^\s*!", re.MULTILINE)


def justfile(text: str) -> bool:
    """It takes nothing from other files."""
    return _JUST_OTHER.search(text) is None


_SHELLCHECK = re.compile(
    r"|#.*|(disable|enable|shell|source-path|extended-analysis)=[\w./,\" -]*|external-sources=false"
)


def shellcheck(text: str) -> bool:
    """It does not go on to the files that a script names."""
    return all(_SHELLCHECK.fullmatch(line.strip()) for line in text.splitlines())


def yamllint(text: str) -> bool:
    """It extends one of the configurations that come with the program."""
    if not _outer_keys(text, _YAMLLINT_KEYS):
        return False
    extended = re.findall(r"^extends\s*:(.*)", text, re.MULTILINE)
    return all(one.strip() in ("default", "relaxed") for one in extended)


_YAMLLINT_KEYS = frozenset(("extends", "rules", "locale", "yaml-files"))
