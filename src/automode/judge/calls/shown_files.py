"""Whether a command shows or packs credentials that nobody named: it reads whatever it finds."""

from collections.abc import Iterable, Iterator

from automode.core.workspace import Workspace
from automode.guards.guard import option_values
from automode.guards.reads.found_names import file_words, shows_credential
from automode.guards.reads.secret_reads import SHOWS_NO_CONTENTS, leads_to_credential
from automode.guards.reads.trees import follows_links, searches, tree_objection
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts, CommandFacts
from automode.programs.row import Kind
from automode.programs.table import of_kind
from automode.programs.use import Effect
from automode.shell.script import HOLE, Command, Origin, Word

_P = patterns("shown_files")
_W = word_lists("shown_files")
# A copy of a credential has its name. Nothing is shown of what is deleted, or only checked.
_SILENT = SHOWS_NO_CONTENTS | of_kind("copier") | of_kind("remover") | of_kind("checker")
_SEARCHERS = of_kind("searcher")
_FED = Word(HOLE, Origin.UNKNOWN)
_WORKS = Effect.DEVELOPMENT | Effect.RUNS


def shows_found(facts: CallFacts) -> Iterator[int]:
    """The places of the commands that show or pack a credential among all that they find."""
    for at, command in enumerate(facts.script.commands):
        if not command.words or command.transparent or command.remote:
            continue
        if command.program in _SILENT or searches(command):
            continue
        if command.program in _SEARCHERS and not _shows_all(command):
            continue
        words = _words_read(facts.of(command))
        if any(shows_credential(word, at, facts.script, facts.workspace) for word in words):
            yield at


def _words_read(known: CommandFacts) -> Iterator[Word]:
    """The words that stand for files which nobody named. Of a program that nobody described any
    may be read."""
    if any(_P.fed.fullmatch(f"{known.command.program} {one.text}") for one in known.command.args):
        yield _FED
    if known.program is None:
        words = file_words(known.command)
    elif known.effect & _WORKS:
        return
    else:
        written = {one.word for one in known.touches if one.kind is Kind.WRITES}
        read = (one for one in known.touches if one.kind in (Kind.READS, Kind.TREE))
        words = (one.word for one in read if one.word not in written)
        yield from (one.word for one in known.touches if one.kind is Kind.TREE)
    for one in words:
        told = one.is_pipe or one.is_made
        if one.origin is Origin.GLOB or (HOLE in one.text and not told):
            yield one


def search_deeds(command: Command, workspace: Workspace) -> Iterator[str]:
    """A search for a word shows little of what it comes across. One for everything or for secrets
    shows a credential, and one that follows links leaves the workspace."""
    if command.remote or not searches(command):
        return
    values = [value for option, value in _options(command) if option in _W.choosing]
    if any(leads_to_credential(one, command.cwd, workspace) for one in values):
        yield "reads-secret"
    shows = _shows_all(command)
    if (shows or follows_links(command)) and tree_objection(command, workspace) is not None:
        yield "reads-secret" if shows else "collects"


def _options(command: Command) -> Iterator[tuple[str, str]]:
    return option_values([word.text for word in command.args])


def _shows_all(command: Command) -> bool:
    """Whether it is a search for everything, or for secrets."""
    words = [word.text for word in command.args]
    sought = [value for option, value in _options(command) if option in ("-e", "--regexp")]
    sought = sought or [one for one in words if one[:1] != "-"][:1]
    shows = any(_P.shows_all.fullmatch(one) or _P.sought.search(one) for one in sought)
    return shows or any(map(_P.inverts.fullmatch, words))


def follows_new_link(commands: Iterable[Command]) -> bool:
    """Whether one of them makes links, and a later one reads wherever links lead."""
    made = False
    for command in commands:
        made = made or command.program in ("ln", "gln")
        if made and searches(command) and follows_links(command):
            return True
    return False
