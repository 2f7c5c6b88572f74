"""`automode init`: from nothing to gated, step by step. Every step may be run again."""

import os
import shutil
import sys
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from importlib.resources import files

import click

from automode.agents.catalog import INSTALLED
from automode.agents.importing.agent_rules import PROSE, importable
from automode.agents.installing.site import Site
from automode.cli.daemon import placement_of, refuse_agents
from automode.cli.model import model, recommend, sent_to, usable_models
from automode.cli.model_access import accesses, pick
from automode.cli.options import Surroundings
from automode.cli.printing import heading, note, paragraph, say, section
from automode.cli.setup.environment import Draft, drafts
from automode.cli.setup.importing import (
    FRESH,
    changes,
    entries_of,
    found_rules,
    short,
    show,
    target,
)
from automode.cli.setup.install import install, site_here
from automode.config.json_edit import add_lists
from automode.config.load import Loaded
from automode.config.model_choice import KEY, NAME
from automode.core.errors import AutomodeError, BadCall
from automode.llm.subscriptions import SUBSCRIPTIONS

ENVIRONMENT = PROSE["environment"]
EXIT_NO_AGENT = EXIT_NOT_GATED = 1
_EMBEDDED = (
    "The embedded judge: inside automode, free, offline. It clears what is plainly fine and asks"
    " you about the rest."
)
_HINT = "look at it with --dry-run, then pass --yes"


class Talk:
    """What a person is asked. Nothing is written without a yes: `--yes` is one, a dry run never."""

    def __init__(self, *, yes: bool, dry_run: bool) -> None:
        self.yes, self.dry_run = yes, dry_run
        there = sys.stdin is not None and sys.stdin.isatty()
        if not (yes or dry_run or there):
            raise BadCall("nobody is there to answer", _HINT)

    def agree(self, question: str) -> bool:
        if self.dry_run:
            say(f"  would ask: {question}")
            return False
        return self.yes or click.confirm(question, default=True)

    def ask(self, question: str) -> str:
        if self.yes or self.dry_run:
            return ""
        answer: str = click.prompt(question, default="", show_default=False)
        return answer.strip()


def set_up(surroundings: Surroundings, *, dry_run: bool, yes: bool, no_start: bool) -> int:
    """Every step in its order; returns the exit status."""
    context = click.get_current_context()
    talk, site = Talk(yes=yes, dry_run=dry_run), site_here()
    refuse_agents(placement_of(surroundings).state)
    agents = present_agents(site)
    if not agents:
        names = ", ".join(one.title for one in INSTALLED.values())
        paragraph(f"no agent that automode knows is on your PATH ({names})")
        say("Install one, then run `automode init` again. `automode demo` shows what it does.")
        return EXIT_NO_AGENT
    heading("Your agents")
    for agent in agents:
        explain_agent(agent)
    try:
        _import(surroundings, site, agents, talk)
        _describe(surroundings, site, talk)
        _choose_judge(context, surroundings, site, talk)
        installed, failed = _install(context, agents, talk)
        status = _prove(surroundings, installed, talk, no_start=no_start)
    except (KeyboardInterrupt, click.Abort) as error:
        raise AutomodeError(
            "interrupted", "nothing is half-written: run `automode init` again to go on"
        ) from error
    if failed:
        names = ", ".join(INSTALLED[agent].title for agent in failed)
        say()
        paragraph(f"Not gated: {names}. Do what is said above, then run `automode init` again.")
    return EXIT_NOT_GATED if failed else status


def present_agents(site: Site) -> list[str]:
    path = site.environment.get("PATH")
    return [name for name, one in INSTALLED.items() if shutil.which(one.command, path=path)]


def mode_advice(agent: str) -> tuple[list[str], str]:
    """How an agent's own permission mode works together with automode, and the setting of its own
    that fits best: its `beside.toml`."""
    folder = files(f"automode.agents.{INSTALLED[agent].folder}")
    told = tomllib.loads(folder.joinpath("beside.toml").read_text("utf-8"))
    return list(told["says"]), str(told.get("fits", ""))


def explain_agent(agent: str) -> None:
    says, fits = mode_advice(agent)
    say(f"  {INSTALLED[agent].title}")
    for sentence in [*says, *([f"Fits best, for you to set: {fits}"] if fits else [])]:
        paragraph(sentence, "    - ")


def _import(surroundings: Surroundings, site: Site, agents: Sequence[str], talk: Talk) -> None:
    file = target(surroundings, site, project=False)
    for agent in (one for one in agents if one in importable()):
        try:
            rows, read = found_rules(agent, site, project=False)
            entries = entries_of(rows)
            lacks = changes(file, entries)
        except AutomodeError as error:
            note(f"{error}; {error.hint}" if error.hint else str(error))
            continue
        if not lacks:
            continue
        section(f"Rules of {INSTALLED[agent].title}")
        show(rows, read, file, agent)
        if talk.agree("Take over these rules?"):
            add_lists(file, entries, FRESH)
            say(f"written: {short(file)}")


def _describe(surroundings: Surroundings, site: Site, talk: Talk) -> None:
    """Sentences about the machine, each with its source."""
    file = target(surroundings, site, project=False)
    new = [
        one for one in drafts(site.home, site.project) if changes(file, {ENVIRONMENT: [one.text]})
    ]
    if not new:
        return
    section("What the judge should know of this machine")
    for number, one in enumerate(new, 1):
        paragraph(f"{one.text}  [{short(one.source)}]", f"  {number:2d}  ")
    kept = _confirm(new, talk)
    if kept:
        add_lists(file, {ENVIRONMENT: [one.text for one in kept]}, FRESH)
        say(f"written: {short(file)}")


def _confirm(new: Sequence[Draft], talk: Talk) -> list[Draft]:
    if talk.yes or talk.dry_run:
        return list(new) if talk.agree("Tell the judge all of these?") else []
    answer = talk.ask("all, none, or the numbers to keep (for example `1 3`) [none]")
    if answer.casefold() == "all":
        return list(new)
    chosen = {word for word in answer.replace(",", " ").split() if word.isdecimal()}
    return [one for number, one in enumerate(new, 1) if str(number) in chosen]


def _choose_judge(
    context: click.Context, surroundings: Surroundings, site: Site, talk: Talk
) -> None:
    section("Who judges what rules and guards leave open")
    loaded = surroundings.load(site.project)
    if loaded.settings.chooses_model:
        say(f"  chosen already: {loaded.values[KEY].value}; `automode model` changes it")
        return
    name = _pick_model(surroundings, loaded, talk)
    if name:
        context.invoke(model, name=name, cwd=None, test=False)


def _pick_model(surroundings: Surroundings, loaded: Loaded, talk: Talk) -> str:
    """The model that the person names; empty for the embedded judge, which asks nobody."""
    known = accesses(loaded.settings, os.environ, surroundings.keys())
    best = recommend(known)
    paragraph(_EMBEDDED, "  ")
    if best is not None:
        name = f"{best.name}/{SUBSCRIPTIONS[best.name].recommended}"
        say(f"  {name}: signed in.")
        paragraph(f"  {sent_to(best.name)}.")
    models = usable_models(known)
    if models:
        say("  A model of a provider whose key was found: type `key` to pick one.")
    say("  A model file: type `gguf/` and its whole path. Another one: `provider/model-id`.")
    answer = talk.ask("`embedded`, `key`, or the name of a model [embedded]")
    if answer == "key":
        return pick(models, talk.ask) or ""
    if answer and not NAME.fullmatch(answer):
        say("  the embedded judge stays")
    return answer if NAME.fullmatch(answer) else ""


def _install(
    context: click.Context, agents: Sequence[str], talk: Talk
) -> tuple[list[str], list[str]]:
    """The agents that are gated now, and those where that failed."""
    done: list[str] = []
    failed: list[str] = []
    for agent in agents:
        section(f"Install: {INSTALLED[agent].title}")
        try:
            context.invoke(
                install,
                agent=agent,
                transport=None,
                scope=None,
                dry_run=talk.dry_run,
                diff=False,
                yes=talk.yes,
            )
            done.append(agent)
        except AutomodeError as error:
            note(f"{error}; {error.hint}" if error.hint else str(error))
            failed.append(agent)
        except SystemExit:  # a no to this agent is none to the others
            continue
    return done, failed


def _prove(surroundings: Surroundings, agents: Sequence[str], talk: Talk, *, no_start: bool) -> int:
    section("Proof")
    if talk.dry_run or not agents:
        say("  nothing was installed; `automode doctor` says what is")
        return 0
    from automode.cli.doctor import examine_agents
    from automode.daemon import lifecycle

    if not no_start:
        with suppress(AutomodeError):  # the doctor says what is wrong
            lifecycle.start_detached(placement_of(surroundings))
    return examine_agents(surroundings, tuple(agents), None, no_start=no_start, offline=False)
