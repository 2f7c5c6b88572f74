"""sqlite3: files that are there, and what is fed to it."""

from dataclasses import replace

from automode.core.workspace import Kind
from automode.facts.files import Names
from automode.programs.call_facts import CommandFacts
from automode.programs.use import Effect, Use
from tests.programs.conftest import ROOT, ROWS, command_facts
from tests.rows import each_row


class Databases(Names):
    """`x.db` is there, `broken.db` has a journal besides. `link.db` leads to it, `good.db` to
    `x.db`; the folder `link` leads to one whose folder above holds another `x.db` with a journal.
    Nobody can tell where `loop.db` leads."""

    def resolve(self, path: str) -> str | None:
        if path.endswith("/loop.db"):
            return None
        for link, target in {"link.db": "broken.db", "good.db": "x.db", "link": "/far/in"}.items():
            if path == f"{ROOT}/{link}":
                return target if target.startswith("/") else f"{ROOT}/{target}"
        return super().resolve(path)

    def kind(self, path: str) -> Kind:
        there = ("/x.db", "/broken.db", "/broken.db-journal", "/link.db", "/good.db", "/loop.db")
        return Kind.FILE if path.endswith((*there, "/far/x.db-journal")) else super().kind(path)


def line(text: str, fed: str | None = None) -> Use:
    facts = command_facts(text, files=Databases(ROOT))
    return CommandFacts(replace(facts.command, fed=fed), facts.workspace).use


@each_row("text", ROWS["sqlite-reading"])
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert line(text).effect is Effect.NONE


@each_row("text, effect", ROWS["sqlite-others"])
def test_whatever_does_more_than_look_says_what(text: str, effect: str) -> None:
    assert line(text).effect & Effect[effect.upper()]


@each_row("fed, effect", [*ROWS["sqlite-fed"], (None, "unknown")])
def test_a_script_on_standard_input_is_looked_at(fed: str | None, effect: str) -> None:
    found, wanted = line("sqlite3 -safe -readonly x.db", fed).effect, Effect[effect.upper()]

    assert found & wanted if wanted else not found
