"""The Ansible programs. A project's configuration may name inventories and plug-ins that run."""

from collections.abc import Mapping

from automode.core.files import Kind
from automode.core.paths import absolute
from automode.programs.clients import (
    BUILDS,
    CHANGES,
    RUNS,
    SECRET,
    WRITES,
    Row,
    Verbs,
    options,
    row,
    words,
)
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, unknown
from automode.shell.options import Arguments, arguments

_HELP = words("--help -h --version")


def _looks_up_help(invocation: Invocation) -> bool:
    texts = [word.value or "" for word in invocation.args]
    return bool(texts) and texts[-1] in _HELP and not any(t.startswith("-") for t in texts[:-1])


def _configured_here(invocation: Invocation) -> bool:
    """Whether an `ansible.cfg` of the working folder decides what runs, or may do so."""
    cwd = invocation.command.cwd
    if cwd is None:
        return True
    found = invocation.workspace.files.kind(absolute("ansible.cfg", cwd))
    return found is not Kind.MISSING


def _listing(text: str, *needed: str) -> Judge:
    """A program that reads when one of `needed` is given and nothing of the project runs."""
    spec = options(text)

    def judge(invocation: Invocation) -> Use:
        if _looks_up_help(invocation):
            return READS
        given = arguments(invocation.args, spec)
        if not given.has(*needed) or not invocation.literal:
            return RUNS | CHANGES
        inventory = given.value("-i", "--inventory")
        scripted = inventory is not None and not inventory.text.endswith(",")
        if given.unclear or scripted or _configured_here(invocation):
            return BUILDS
        return READS

    return judge


_TARGETS = (
    "-i= --inventory= -l= --limit= -v --verbose --list-hosts --graph --list --host= --yaml -y"
)
_ADHOC = _listing(_TARGETS, "--list-hosts")
_INVENTORY = _listing(_TARGETS + " --toml --vars --export", "--list", "--graph", "--host")


def _playbook(invocation: Invocation) -> Use:
    """Even looking at a playbook may load filters and look-ups that stand beside it."""
    if _looks_up_help(invocation):
        return READS
    looks = words("--syntax-check --list-hosts --list-tasks --list-tags")
    if any(word.value in looks for word in invocation.args):
        return BUILDS
    return RUNS | CHANGES


def _documentation(invocation: Invocation) -> Use:
    spec = options(
        "-l --list -s --snippet -t= --type= -j --json -F --list_files -v --verbose --metadata-dump"
        " --no-fail-on-errors -r= --roles-path= -e= --entry-point= --version -h --help"
    )
    given = arguments(invocation.args, spec)
    if given.unclear or not invocation.literal:
        return unknown("an option is not known to be harmless")
    return READS


_GALAXY_SHOW = row("-p= --roles-path= --collections-path= --format= -v --verbose --offline")
_GALAXY_ASK = row("--author= --platforms= --galaxy-tags= -v", network("asks Galaxy"))
_GALAXY = Verbs(
    {
        "list": _GALAXY_SHOW,
        "role list": _GALAXY_SHOW,
        "collection list": _GALAXY_SHOW,
        "search": _GALAXY_ASK,
        "info": _GALAXY_ASK,
        "role search": _GALAXY_ASK,
        "role info": _GALAXY_ASK,
        "collection verify": _GALAXY_ASK,
    },
    uses={
        **{
            f"{kind}{verb}": network("fetches code") | WRITES
            for kind in ("", "role ", "collection ")
            for verb in words("install download")
        },
        **{
            f"{kind}{verb}": CHANGES
            for kind in ("", "role ", "collection ")
            for verb in words("import publish delete setup")
        },
        **{
            f"{kind}{verb}": WRITES
            for kind in ("", "role ", "collection ")
            for verb in words("init remove build")
        },
    },
)
_VAULT = Verbs(
    {},
    uses={
        **dict.fromkeys(words("view decrypt"), SECRET),
        **dict.fromkeys(words("create edit encrypt rekey"), WRITES | SECRET),
        "encrypt_string": SECRET,
    },
)


def _own_settings(given: Arguments) -> Use:
    return unknown("another file is read") if given.has("-c", "--config") else READS


_SETTINGS = Row(
    options("-c= --config= -t= --type= -v --verbose --only-changed --changed-only --format= -f="),
    check=_own_settings,
)
_CONFIG = Verbs(
    {"list": _SETTINGS, "view": _SETTINGS, "dump": _SETTINGS},
    uses={"init": WRITES, "validate": READS},
)


def _otherwise(use: Use) -> Judge:
    """A program that always runs something, unless it is asked for help."""
    return lambda invocation: READS if _looks_up_help(invocation) else use


_LINT = _otherwise(Use(Effect.DEVELOPMENT | Effect.RUNS, "checks playbooks"))

PROGRAMS: Mapping[str, Judge] = {
    "ansible": _ADHOC,
    "ansible-inventory": _INVENTORY,
    "ansible-playbook": _playbook,
    "ansible-doc": _documentation,
    "ansible-galaxy": _GALAXY,
    "ansible-vault": _VAULT,
    "ansible-config": _CONFIG,
    "ansible-lint": _LINT,
    "ansible-console": _otherwise(RUNS | CHANGES),
    "ansible-pull": _otherwise(RUNS | network("fetches playbooks")),
    "ansible-test": _otherwise(Use(Effect.DEVELOPMENT | Effect.RUNS, "runs tests")),
    "ansible-connection": _otherwise(RUNS),
}
