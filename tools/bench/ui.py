"""How fast the window in the browser is on a store with many decisions.

    python tools/bench/ui.py [--records 100000] [--rounds 20]

Fills a store in a temporary folder, then measures the time of the server for each page, and how
long after its record was written a decision reaches a page that follows.
"""

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from automode.assemble import load_settings
from automode.config.places import Places
from automode.core.decision import Remark, Verdict
from automode.core.record import Record, SessionKey, StageSpent
from automode.store.chain import Chain
from automode.store.changes import Change, Decided, SessionKept, SessionRow, usage_of
from automode.store.folder import StateFolder
from automode.store.open import open_store
from automode.store.tables import apply
from automode.ui.access import Access
from automode.ui.app import build_app
from automode.ui.live import Follower
from automode.ui.window import Window

PORT = 24_999
PROJECTS = [f"/home/user/projects/{name}" for name in "shop api infra docs mobile tools".split()]
COMMANDS = {
    "git status": ("allow", "read-only", "every command only reads"),
    "grep -rn 'TODO' src --include=*.py | head -40": ("allow", "read-only", "it only reads"),
    "npm test -- --watch=false": ("allow", "rules.allow", "an allow rule covers it"),
    "python -m pytest tests/unit -q": ("allow", "classifier.local", "clearly fine"),
    "git push origin feature/login": ("ask", "rules.ask", "ask rule `bash(git push *)` matches"),
    "docker compose up -d --build": ("allow", "classifier.fast", "the model found it clearly fine"),
    "kubectl delete namespace prod": ("deny", "classifier.deliberate", "nobody asked for that"),
    "rm -rf ~": ("deny", "floor.delete-root", "recursive delete of a home folder"),
}
WEIGHTS = [30, 25, 15, 15, 4, 8, 2, 1]


def records(count: int, seed: int = 1, seconds: float = 20.0) -> list[Record]:
    """The last one was made just now, and so many seconds lie between two."""
    chance = random.Random(seed)
    now = time.time()
    hosts = ("claude-code", "pi", "codex")
    sessions = [
        (SessionKey(chance.choice(hosts), f"{number:032x}"), chance.choice(PROJECTS))
        for number in range(max(count // 250, 3))
    ]
    made: list[Record] = []
    for number in range(count):
        key, root = sessions[number * len(sessions) // count]
        command, (word, source, reason) = chance.choices(
            list(COMMANDS.items()), weights=WEIGHTS, k=1
        )[0]
        asked = source.startswith("classifier.") and source != "classifier.local"
        spent = StageSpent("fast", "anthropic/claude-haiku", 2100, 4, 1900, 0, 620, "0.0006")
        action = f"{command} # {number}" if number % 7 == 0 else command
        made.append(
            Record(
                id=f"{number:014x}",
                at=now - (count - number) * seconds,
                session=key,
                parent=None,
                account="user",
                root=root,
                cwd=root,
                tool="Bash",
                action=action,
                input=json.dumps({"command": action, "description": "x" * 400}),
                digest=f"{number:064x}",
                verdict=Verdict[word.upper()],
                source=source,
                reason=reason,
                advice="",
                clearable=word != "allow" and not source.startswith("floor."),
                error=None,
                enforced=True,
                attended=True,
                micros=chance.randint(300, 30_000),
                trail=(Remark("read-only", "not-proved", f"`{command.split()[0]}` may write"),),
                stages=(spent,) if asked else (),
            )
        )
    return made


def fill(folder: StateFolder, made: list[Record]) -> None:
    chain = Chain.of(folder)
    db = open_store(folder)
    rows: dict[SessionKey, SessionRow] = {}
    for start in range(0, len(made), 5000):
        changes: list[Change] = []
        for one in made[start : start + 5000]:
            first = rows.get(one.session)
            began = one.at if first is None else first.created
            rows[one.session] = SessionRow(
                one.session, None, one.root, one.cwd, True, "", began, one.at, None, "{}"
            )
            changes += [Decided(one), *usage_of(one.id, one.at, one.session, None, one.stages)]
        with db.transaction():
            apply(db, changes, chain)
        chain.note_commit()
    with db.transaction():
        apply(db, [SessionKept(row) for row in rows.values()], chain)
    db.close()


def window_on(folder: StateFolder) -> Window:
    places = Places.of(home=folder.path, environment={}, project=None)
    return Window(folder, "sqlite", Access(PORT), lambda _project: load_settings(places))


def milliseconds(work: Callable[[], object], rounds: int) -> list[float]:
    """The first, the median and the worst by the clock, and the median by the processor: on a busy
    machine only that one says what the work takes."""
    taken: list[float] = []
    worked: list[float] = []
    for _ in range(rounds):
        started, used = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - started) * 1000)
        worked.append((time.process_time() - used) * 1000)
    return [taken[0], statistics.median(taken), max(taken), statistics.median(worked)]


def pages(window: Window, made: list[Record], rounds: int) -> None:
    from starlette.testclient import TestClient

    home = f"http://{window.access.host}"
    with TestClient(build_app(window), base_url=home, headers={"origin": home}) as client:
        client.get(window.access.new_link().removeprefix(home))
        middle, last = made[len(made) // 2], made[-1]
        paths = {
            "now": "/now",
            "now, a page in the middle": f"/now?before={len(made) // 2}",
            "now, deny": "/now?verdict=deny",
            "now, one session": f"/now?session={middle.session}",
            "now, one project": f"/now?project={PROJECTS[0]}",
            "now, source floor": "/now?source=floor",
            "now, text that is often there": "/now?text=kubectl",
            "now, text that is nowhere": "/now?text=zzzzzzzz",
            "a decision": f"/decision/{middle.id}",
            "read again, every layer": f"/decision/{last.id}/again",
            "sessions": "/sessions",
            "a session": f"/sessions/one?key={middle.session}",
        }
        print(f"{'page, ms':34}{'first':>9}{'median':>9}{'worst':>9}{'processor':>11}")
        for name, path in paths.items():
            address = f"{window.access.base}{path}"

            def get(address: str = address) -> None:
                assert client.get(address).status_code == 200

            *clock, used = milliseconds(get, rounds)
            print(f"{name:34}" + "".join(f"{one:9.1f}" for one in clock) + f"{used:11.1f}")


async def live(window: Window, made: list[Record], rounds: int) -> list[float]:
    """Milliseconds between the end of a write and the row of it, rendered."""
    follower = Follower(window)
    stream = follower.follow(after=len(made))
    chain = Chain.of(window.state)
    taken: list[float] = []
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0.3)
    for number in range(rounds):
        new = replace(made[-1], id=f"n{number:013x}", at=time.time())

        def write(one: Record = new) -> float:
            db = open_store(window.state)
            with db.transaction():
                apply(db, [Decided(one)], chain)
            written = time.perf_counter()
            chain.note_commit()
            db.close()
            return written

        written = await asyncio.to_thread(write)
        found = await waiting
        window.fragment("row.html", one=found)
        taken.append((time.perf_counter() - written) * 1000)
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(random.random() / 20)
    waiting.cancel()
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state = StateFolder(f"{folder}/state").prepared()
        made = records(given.records)
        started = time.perf_counter()
        fill(state, made)
        size = Path(state.database).stat().st_size / 1e6
        print(f"{given.records:,} records, {size:.0f} MB, {time.perf_counter() - started:.0f} s")
        window = window_on(state)
        pages(window, made, given.rounds)
        taken = sorted(asyncio.run(live(window, made, given.rounds)))
        middle = statistics.median(taken)
        print(f"live update, n={len(taken)}: median {middle:.1f} ms, worst {taken[-1]:.1f} ms")


if __name__ == "__main__":
    main()
