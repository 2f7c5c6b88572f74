"""What is known at one point of a script: folder, variables, functions."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from automode.shell.script import HOLE, Assignment, Origin, Word

UNKNOWN_VALUE = Word(HOLE, Origin.UNKNOWN)
DERIVED_VALUE = Word(HOLE, Origin.DERIVED)
NUMBER = Word(HOLE, Origin.DERIVED, plain=True)


_SECRET = re.compile(
    r"KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH|PRIVATE|API|SESSION|COOKIE|CERT|DSN|URL|URI|CONN|PAT$|^__",
    re.IGNORECASE,
)
"""Names of variables that may hold a credential: their value counts as unknown, others' merely as
not written in the script."""


_EXPORTED = re.compile(
    r"^(PATH|HOME|IFS|ENV|SHELL|SHELLOPTS|BASHOPTS|PAGER|EDITOR|VISUAL|BROWSER|CDPATH|TMPDIR|PS[0-4]"
    r"|PROMPT_COMMAND|GLOBIGNORE|FIGNORE|HISTFILE|EXECIGNORE|KUBECONFIG|MANPATH|TERMINFO|NODE_OPTIONS"
    r"|(LD|DYLD|GIT|BASH|PYTHON|PERL|RUBY|NODE|NPM|JAVA|LESS|MAN|AWS|DOCKER|GH|GITHUB|SSH|XDG|TAR"
    r"|GREP|ZIP|GZIP|GO|RUST|CARGO|PG|MYSQL|TF|HELM|CLOUDSDK|RIPGREP|BAT|FZF|[A-Z]*_?PROXY)[A-Z0-9_]*)$"
)
"""Variables that are, or may be, in the environment already: assigning one changes what later
commands load or run, without any `export`."""

_SWITCHES_OFF = {"PAGER": ("cat", ""), "GIT_PAGER": ("cat", ""), "AWS_PAGER": ("cat", "")}


@dataclass(slots=True)
class State:
    cwd: str | None
    home: str
    variables: dict[str, Word] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)  # variables that surely hold a number
    exported: dict[str, Assignment] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    warn: Callable[[str], None] = lambda why: None

    def copy(self) -> "State":
        return State(
            self.cwd,
            self.home,
            dict(self.variables),
            set(self.numbers),
            dict(self.exported),
            set(self.functions),
            self.warn,
        )

    def assign(self, name: str, value: Word, *, appends: bool = False) -> None:
        if appends:
            before = self.variables.get(name, UNKNOWN_VALUE)
            worst = max(before.origin, value.origin)
            value = Word(before.text + value.text, worst)
        self.variables[name] = value
        self.check(name, value)
        self.mark_number(name, number=(value.value or "").lstrip("-").isdigit())

    def check(self, name: str, value: Word) -> None:
        if not _EXPORTED.match(name):
            return
        if value.value not in _SWITCHES_OFF.get(name, ()):
            self.warn(f"it changes `{name}` for later commands")

    def mark_number(self, name: str, *, number: bool = True) -> None:
        (self.numbers.add if number else self.numbers.discard)(name)

    def forget(self, names: frozenset[str]) -> None:
        """These variables may have been changed where we cannot tell how."""
        for name in names:
            self.variables[name] = DERIVED_VALUE
            self.check(name, DERIVED_VALUE)
            self.numbers.discard(name)

    def value(self, name: str) -> Word:
        if name in self.variables:
            return self.variables[name]
        if name == "HOME":
            return Word(self.home)
        if name == "PWD" and self.cwd is not None:
            return Word(self.cwd)
        if name in ("?", "#", "$", "!", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID"):
            return NUMBER
        return UNKNOWN_VALUE if _SECRET.search(name) else DERIVED_VALUE
