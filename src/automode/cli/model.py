"""`automode model`: lists, picks, tests and saves the model that the classifier asks."""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence

import click

from automode.cli.daemon import refuse_agents
from automode.cli.model_access import (
    Access,
    accesses,
    complete_model,
    connect,
    pick,
    price_text,
    program_access,
)
from automode.cli.options import Surroundings, cwd_option, own_session, usual_options, workspace_at
from automode.cli.printing import (
    attributes,
    faint,
    heading,
    note,
    one_line,
    say,
    say_json,
    say_row,
    say_rows,
    wants_json,
)
from automode.cli.tables import show_table
from automode.config.keys import ROW_OF
from automode.config.load import Loaded
from automode.config.merge import Given
from automode.config.model_choice import KEY, check_choice, save_choice
from automode.config.settings import Settings
from automode.core.errors import BadSettings
from automode.daemon.client import NoDaemon, request
from automode.daemon.frames import Right
from automode.facts.place import home_folder
from automode.llm.endpoints import Missing, Sources
from automode.llm.ledger import Ledger
from automode.llm.prices import CURRENCY, Priced, cost_beside, known_models
from automode.llm.providers import Api, OwnServer
from automode.llm.subscriptions import SUBSCRIPTIONS
from automode.llm.trial import STAGE, try_model, usage_of, usd_of

FIRST_LOOK_KEY = "autoMode.fastModel"
EXIT_FAILED = 1
MOST_LISTED = 40
LONGEST_TRIAL_SECONDS = 150.0
THIS_TERMINALS = "the key is this terminal's: agents that you start elsewhere have none"


@click.command()
@click.argument(
    "name", metavar="[PROVIDER/MODEL-ID]", required=False, shell_complete=complete_model
)
@click.option("--test", is_flag=True, help="Send one tiny real request and show what came of it.")
@cwd_option
@usual_options
def model(surroundings: Surroundings, name: str | None, cwd: str | None, *, test: bool) -> None:
    """List, pick, test and save the model that the classifier asks.

    With a name the model is saved in your own settings file; with --test only if it answers.
    Saving is for people: what an agent started is refused.
    """
    project = workspace_at(cwd).root
    loaded = surroundings.load(project)
    if name is None and not test:
        _list(surroundings, loaded)
        name = None if wants_json() else _pick(surroundings, loaded)
        if name is None:
            return
    said: dict[str, object] = {}
    program: OwnServer | None = None
    if name is not None:
        _check(surroundings, loaded, name)
        program = _program(name)
    if test:
        from automode.classifier.chosen import trial_settings

        command = program.command if program else ""
        settings = trial_settings(loaded.settings, name or _in_force(loaded), command)
        said["test"] = _test(surroundings, settings, project, command)
    if name is not None:
        said |= _save(surroundings, project, name, program)
    if wants_json():
        say_json(said)


def _list(surroundings: Surroundings, loaded: Loaded) -> None:
    found = loaded.values[KEY]
    known = accesses(loaded.settings, os.environ, surroundings.keys())
    models = usable_models(known)
    settings = loaded.settings
    if wants_json():
        own = {"unusable": settings.unusable_model or None, "fast_model": settings.fast_model}
        say_json(_data(found, known, models) | own)
        return
    say_row("model", settings.unusable_model or _choice_text(found, settings.fast_model))
    if settings.fast_model is not None:
        say_row("first look", _choice_text(loaded.values[FIRST_LOOK_KEY], None))
    say()
    best = recommend(known)
    if best is not None and found.value is None and not settings.unusable_model:
        say_row("signed in", f"`automode model {best.name}/{SUBSCRIPTIONS[best.name].recommended}`")
        say_row("", sent_to(best.name))
        say()
    heading("Providers")
    providers = [(one.name, _state(one), _way_in(one)) for one in known]
    show_table(providers, ("provider", "state", "way in"))
    if not _at_a_terminal():
        say()
        heading("Models")
        say_rows([(one.name, price_text(one)) for one in models[:MOST_LISTED]], indent=2)
        if len(models) > MOST_LISTED:
            say(faint(f"  and {len(models) - MOST_LISTED} more; --json lists all"))
    if not models:
        say("  (none: no provider with a list of models is ready)")


def recommend(known: Sequence[Access]) -> Access | None:
    """A subscription that is signed in: it costs nothing more and judges best."""
    return next((one for one in known if one.ready and one.name in SUBSCRIPTIONS), None)


def sent_to(provider: str) -> str:
    agent = SUBSCRIPTIONS[provider]
    return (
        f"{agent.title} sends the policy, your words and the agent's calls, with secrets replaced,"
        f" to {agent.company}, under your own sign-in"
    )


def usable_models(known: Sequence[Access]) -> list[Priced]:
    """The models that the price table knows of the providers that are ready."""
    return [found for one in known if one.ready and not one.own for found in known_models(one.name)]


def _data(found: Given, known: Sequence[Access], models: Sequence[Priced]) -> dict[str, object]:
    return {
        "model": found.value,
        **attributes(found, "source file line"),
        "providers": [
            attributes(one, "name ready key_variables address own problem?") for one in known
        ],
        "models": [
            {
                "model": one.name,
                "context_tokens": one.context_tokens,
                "input_usd_per_million": None if one.input_usd is None else str(one.input_usd),
                "output_usd_per_million": None if one.output_usd is None else str(one.output_usd),
            }
            for one in models
        ],
    }


def _choice_text(found: Given, fast_model: str | None) -> str:
    if found.value is None and fast_model is not None:
        return "none chosen: what the first look does not clear is asked, unless the host has one"
    if found.value is None:
        return f"none chosen: {ROW_OF[KEY].absent} decides"
    return f"{found.value} ({found.place})"


def _state(one: Access) -> str:
    if one.name in SUBSCRIPTIONS:
        return "signed in" if one.ready else "not ready"
    if not one.ready:
        return "no key" if one.lacks_key else "unusable"
    return "key found" if one.key_variables else "no key needed"


def _way_in(one: Access) -> str:
    """Names the variable; a key itself is never shown."""
    variables = " or ".join(one.key_variables)
    if one.ready:
        return one.address if one.own or not variables else variables
    return f"set {variables}" if one.lacks_key else one.problem


def _at_a_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _pick(surroundings: Surroundings, loaded: Loaded) -> str | None:
    if not _at_a_terminal():
        return None
    models = usable_models(accesses(loaded.settings, os.environ, surroundings.keys()))
    say()
    heading("Pick a model (dollars per million tokens)")
    return pick(models, _ask)


def _ask(question: str) -> str:
    answer: str = click.prompt(question, default="", show_default=False)
    return answer


def _check(surroundings: Surroundings, loaded: Loaded, name: str) -> None:
    """Raises BadSettings for a model that cannot be saved, NotAPerson for who may not save any."""
    if surroundings.isolated:
        raise BadSettings(
            "the model is saved in a file, and --isolated ignores files", "leave it out"
        )
    check_choice(name, loaded.settings)
    refuse_agents(surroundings.known_state())


def _in_force(loaded: Loaded) -> str:
    chosen = loaded.settings.classifier_model
    if loaded.settings.unusable_model:
        raise BadSettings(
            loaded.settings.unusable_model, "name one: `automode model provider/id --test`"
        )
    if chosen is None:
        raise BadSettings(
            "no model is chosen, so none can be tested",
            "name one: `automode model provider/id --test`",
        )
    return chosen


def _test(
    surroundings: Surroundings, settings: Settings, project: str, program: str
) -> dict[str, object]:
    """Ends the command with 1 when the model does not answer. A test costs money too: it counts for
    the day's budget."""
    name = settings.classifier_model or ""

    async def here() -> dict[str, object]:
        model = connect(name, settings, os.environ, surroundings.keys())
        price = cost_beside({server.name for server in settings.providers})
        return await try_model(model, settings.classifier_timeout_ms / 1000, price)

    asked = {"model": name, "root": project, "command": program}
    data = try_out(surroundings, "try-model", asked, here)
    if "answer" in data:
        book_trial(surroundings, name, data)
    if not wants_json():
        _show_trial(data)
    elif not data["ok"]:
        say_json({"test": data})
    if not data["ok"]:
        sys.exit(EXIT_FAILED)
    return data


def book_trial(surroundings: Surroundings, name: str, data: Mapping[str, object]) -> None:
    # What decides takes time to load, and only a test needs a part of it.
    from automode.cli.calls.deciding import book_requests, mention

    ledger, session = Ledger(), str(own_session())
    ledger.record(session, None, STAGE, name, usage_of(data), 0, usd_of(data))
    mention(asyncio.run(book_requests(surroundings, ledger.take(session))))


def try_out(
    surroundings: Surroundings,
    verb: str,
    asked: Mapping[str, object],
    here: Callable[[], Coroutine[object, object, Mapping[str, object]]],
) -> dict[str, object]:
    """What came of asking a model through the running daemon, which has other keys than this
    terminal; without one, of asking it from here."""
    try:
        folder, seconds = surroundings.known_state(), LONGEST_TRIAL_SECONDS
        told = request(folder, verb, asked, token=Right.PERSON, seconds=seconds)
    except NoDaemon:
        return {**asyncio.run(here()), "through_daemon": False}
    return {**told, "through_daemon": True}


def _show_trial(data: Mapping[str, object]) -> None:
    if "message" in data:
        say_row("failed", f"{data['trouble']}: {data['message']}")
    elif "answer" in data:
        used, usd = usage_of(data), data["usd"]
        paid = "cost unknown" if usd is None else f"cost {usd} {CURRENCY}"
        say_row("answered", f"{one_line(str(data['answer']), 60)!r} in {data['millis']} ms")
        say_row("used", f"{used.prompt} tokens in, {used.output} out, {paid}")
        say_row("one token", "with probabilities" if data["probabilities"] else "no probabilities")
    if data["hint"]:
        say_row("hint", str(data["hint"]))
    if not data["through_daemon"]:
        note("no daemon runs, so this terminal asked; a daemon finds only keys that are stored")
    elif data.get("lent"):
        provider = str(data["model"]).partition("/")[0]
        note(f"{THIS_TERMINALS}; `automode key set {provider}` stores it")


def _program(name: str) -> OwnServer | None:
    """Of a subscription: the program as the person has it. Which one it is, is saved: a `PATH` of
    somebody else must not choose the judge. Raises BadSettings."""
    agent = SUBSCRIPTIONS.get(name.partition("/")[0])
    if agent is None:
        return None
    found = program_access(agent, Sources(os.environ, home=home_folder()))
    if not found.address:
        raise BadSettings(found.problem, "install it, or name another model")
    if not found.ready:
        note(f"{agent.title} is {found.problem}")
    note(f"{agent.title} is {found.address}: see that this is your own")
    return OwnServer(agent.name, Api.OPENAI, "", None, found.address)


def _save(
    surroundings: Surroundings, project: str, name: str, program: OwnServer | None
) -> dict[str, object]:
    command = "" if program is None else program.command
    file = save_choice(surroundings.places(project), name, command)
    now = surroundings.load(project).values[KEY]
    overridden = now.place if now.file != file else None
    from automode.assemble import chosen_model

    found = chosen_model(
        surroundings.load(project).settings, os.environ, keyring=surroundings.keys()
    )
    if isinstance(found, Missing) and not wants_json():
        note(f"it cannot be asked yet: {found.reason}")
    if not wants_json():
        say(f"saved: {name} in {file}")
        if overridden is not None:
            say(f"but {overridden} sets `{now.value}`, and that one counts here")
    return {"saved": name, "file": file, "overridden_by": overridden}
