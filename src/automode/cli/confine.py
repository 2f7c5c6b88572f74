"""`automode confine`: runs a command of a person's within the limits of a confined call."""

import json
import os
import shlex
import sys

import click

from automode.cli.main import Complaint
from automode.cli.options import Surroundings, cwd_option, usual_options, workspace_at
from automode.cli.printing import one_line, wants_json
from automode.confine.guard import Guard, Unavailable, choose, command, write_order
from automode.confine.launch import LANDLOCK
from automode.confine.profile import BadOrder, Order, Profile, digest

SHOWN, LONGEST = 12, 200


@click.command(hidden=True, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[--] CMD...")
@cwd_option
@usual_options
def confine(surroundings: Surroundings, words: tuple[str, ...], cwd: str | None) -> None:
    """Run CMD as automode would run a confined call, to try it: `automode confine -- make test`.

    Without CMD it prints the limits. Exit code 126: it did not run, because the limits could not be
    set; every other one is CMD's own.
    """
    from automode.guards.protected import Protected
    from automode.sessions.confinement import SHELL, Confinement
    from automode.sessions.record_builder import Ids

    place = workspace_at(cwd)
    loaded = surroundings.load(place.root)
    config = os.path.dirname(surroundings.places(None).trust_file)
    confinement = Confinement(surroundings.known_state().prepared().path, config, place.home)
    os.makedirs(confinement.folder, 0o700, exist_ok=True)
    folder = os.path.realpath(confinement.folder)
    guard = choose(folder)
    if isinstance(guard, Unavailable):
        says = f"no command can be confined here: {guard.reason}"
        raise Complaint(says, "install bubblewrap (`bwrap`)")
    try:
        protected = Protected.of(entry.text for entry in loaded.settings.protected_paths)
        profile = confinement.profile(place, protected)
    except BadOrder as error:
        raise Complaint(f"not run: {error}") from error
    if not words:
        _show_limits(guard, profile)
        return
    text = shlex.join(words) if len(words) > 1 else words[0]
    path = os.path.join(folder, f"{Ids().new()}.json")
    write_order(path, Order(profile, os.path.realpath(place.cwd), SHELL, digest(text)))
    sys.stdout.flush()
    started = command(path, text)
    os.execv(started[0], started)  # noqa: S606 (its status and its signals are the command's)


def _show_limits(guard: Guard, profile: Profile) -> None:
    network = "loopback of its own, nothing else"
    rows: dict[str, tuple[str, ...]] = {
        "guard": (guard.name,),
        "can write": (profile.workspace, *profile.writable),
        "cannot change": profile.read_only,
        "cannot read": profile.hidden,
        "can read of that": profile.readable,
        "network": ("none" if guard.name == LANDLOCK else network,),
        "processes": (f"about {profile.processes} more than there are",),
        "memory": (f"{profile.memory_bytes // 2**20} MiB each",),
        "weaker than with bubblewrap": guard.limits,
    }
    if wants_json():
        click.echo(json.dumps(rows))
        return
    for name, values in rows.items():
        more = [f"and {len(values) - SHOWN} more"] if len(values) > SHOWN else []
        for place, value in enumerate([*values[:SHOWN], *more]):
            click.echo(f"{name if not place else '':28} {one_line(value, LONGEST)}")
