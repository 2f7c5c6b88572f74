"""Which machines and systems a call reaches, and what shows that they are the project's own: its
remotes, the ssh configuration, the settings, the user's words.

Only what speaks for a place is said: that nothing does may be for want of looking. What an agent
can bring about by itself, such as an earlier call, speaks for nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from automode.core.session import Session
from automode.core.transcript import PriorCall, UserMessage
from automode.core.workspace import Workspace
from automode.facts.git import NotKnown, config_text, quote_name, repository_above
from automode.guards.guard import words
from automode.programs.call_facts import CallFacts
from automode.programs.git_config import BadConfig, parse
from automode.shell.script import HOLE, Command

_SHOWN = 4
_LONGEST_CONFIGURATION = 65_536
_SHELLS = words("ssh mosh sftp ssh-copy-id autossh")
_COPIES = words("scp rsync")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/\s@]*@)?([A-Za-z0-9.-]+)", re.IGNORECASE)
_PLACE = re.compile(r"(?:[^@\s:/]+@)?([A-Za-z0-9][A-Za-z0-9._-]*)")
_REMOTE_PATH = re.compile(r"(?:[^@\s:/]+@)?([A-Za-z0-9][A-Za-z0-9._-]+):(?!//).*")
_HOST_LINE = re.compile(r"^[ \t]*Host[ \t=]+(.+)$", re.IGNORECASE | re.MULTILINE)
# Options that name a system, by program.
_SYSTEMS: Mapping[str, frozenset[str]] = {
    "kubectl": words("--context --namespace -n --cluster"),
    "oc": words("--context --namespace -n --cluster"),
    "helm": words("--kube-context --namespace -n"),
    "docker": words("--context -c -H --host"),
    "aws": words("--profile --cluster --stack-name --function-name --db-instance-identifier"),
    "gcloud": words("--project --cluster --instance --account"),
    "az": words("--subscription --resource-group -g --name -n"),
    "heroku": words("--app -a"),
    "flyctl": words("--app -a"),
    "fly": words("--app -a"),
    "psql": words("--host -h --dbname -d"),
    "mysql": words("--host -h --database -D"),
    "systemctl": frozenset(),
}


def reached_text(
    facts: CallFacts, commands: Sequence[Command], session: Session, environment: Sequence[str]
) -> str:
    """Each host and system with what speaks for it; empty where nothing does."""
    hosts = dict.fromkeys(host for one in commands for host in _hosts(facts, one))
    systems = dict.fromkeys(name for one in commands for name in _systems(one))
    told = [
        f"{quote_name(name)} {', '.join(said)}"
        for name in dict.fromkeys((*hosts, *systems))
        if (said := list(_facts_about(name, session, environment, is_host=name in hosts)))
    ]
    return "; ".join(told[:_SHOWN])


def _hosts(facts: CallFacts, command: Command) -> Iterator[str]:
    texts = [word.text for word in command.args if HOLE not in word.text]
    given = facts.of(command).given if command.name in _SHELLS else None
    for operand in given.operands[:1] if given else ():
        found = _PLACE.fullmatch(operand.text)
        if found:
            yield found[1].casefold()
    if command.name in _COPIES:
        yield from (found[1].casefold() for t in texts if (found := _REMOTE_PATH.fullmatch(t)))
    yield from (host.casefold() for text in texts for host in _URL.findall(text))


def _systems(command: Command) -> Iterator[str]:
    options = _SYSTEMS.get(command.name)
    if options is None:
        return
    before = ""
    for word in command.args:
        name, equals, value = word.text.partition("=")
        if before in options and not word.text.startswith("-"):
            yield word.text
        elif equals and name in options:
            yield value
        elif command.name == "systemctl" and before and not word.text.startswith("-"):
            yield word.text.removesuffix(".service")
        before = word.text


def _facts_about(
    name: str, session: Session, environment: Sequence[str], *, is_host: bool
) -> Iterator[str]:
    if len(name) < 2 or HOLE in name:
        return
    named = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", re.IGNORECASE)
    before = [str(one.input) for one in session.transcript.entries if isinstance(one, PriorCall)]
    if is_host and not any("remote" in text and named.search(text) for text in before):
        remote = _remote_on(name, session.workspace)
        if remote:
            yield f"is the host of the project's remote {quote_name(remote)}"
    untouched = is_host and not any(".ssh" in text for text in before)
    if untouched and name in _ssh_hosts(session.workspace):
        yield "is written in the user's ssh configuration"
    if any(named.search(text) for text in environment):
        yield "stands in the `environment` of the user's settings"
    said = (one.text for one in session.transcript.entries if isinstance(one, UserMessage))
    if any(map(named.search, said)):
        yield "stands in the user's words, which may also forbid it"


def _remote_on(host: str, workspace: Workspace) -> str:
    """The name of the project's remote on a host; empty: none is."""
    top = repository_above(workspace.root, workspace)
    if top is None:
        return ""
    try:
        settings = parse(config_text(top, workspace))
    except (NotKnown, BadConfig):
        return ""
    for one in settings:
        if one.section == "remote" and one.name == "url":
            found = _URL.match(one.value) or _REMOTE_PATH.fullmatch(one.value)
            if found and found[1].casefold() == host:
                return one.subsection
    return ""


def _ssh_hosts(workspace: Workspace) -> frozenset[str]:
    path = f"{workspace.home}/.ssh/config"
    text = workspace.files.text(path, _LONGEST_CONFIGURATION) or ""
    names = (name for line in _HOST_LINE.findall(text) for name in line.split())
    return frozenset(name.casefold() for name in names if not set("*?!") & set(name))
