"""What of a hidden folder can be read, with the real guards of this machine."""

from pathlib import Path

import pytest

from tests.confine.conftest import World

pytestmark = [pytest.mark.real]


@pytest.fixture
def hidden_home(world: World) -> World:
    """The home is hidden but for `tools`, in which one file is hidden again."""
    (world.home / "tools/bin").mkdir(parents=True)
    (world.home / "tools/bin/run").write_text("#!/bin/sh\necho ran\n")
    (world.home / "tools/bin/run").chmod(0o755)
    (world.home / "tools/token").write_text("top secret")
    (world.home / "current").symlink_to("tools/bin")
    return world.with_profile(
        hidden=(str(world.home), str(world.home / "tools/token")),
        readable=(str(world.home / "tools"), str(world.home / "current")),
    )


def test_what_is_listed_runs_and_the_workspace_is_there(hidden_home: World) -> None:
    done = hidden_home.run("../tools/bin/run; ../current/run; echo x > src/new; cat src/new")

    assert done.stdout == "ran\nran\nx\n", done
    assert (hidden_home.workspace / "src/new").read_text() == "x\n"


@pytest.mark.parametrize(
    "text",
    [
        "cat ../other/file",
        "cat ../token",
        "cat ../secrets/key",
        "cat ../tools/token",
        "cat ../orders/*.json",
        "echo x > ../tools/bin/new",
        "echo x > ../new",
        "mkdir ../other2",
        "mv ../tools ../t",
    ],
)
def test_nothing_else_is(text: str, hidden_home: World) -> None:
    done = hidden_home.run(f"( {text} ) && echo out")

    assert "out" not in done.stdout.split(), done
    assert "top secret" not in done.stdout + done.stderr
    made = {path.name for path in hidden_home.home.rglob("new*")}
    assert not made.union(hidden_home.home.glob("other2"), hidden_home.home.glob("t"))


def test_names_of_other_things_are_not_seen_with_bubblewrap(hidden_home: World) -> None:
    """With Landlock they are, which is one of its limits."""
    seen = set(hidden_home.run("ls -A ..").stdout.split())

    assert {"current", "tools", "workspace"} <= seen
    assert (seen == {"current", "tools", "workspace"}) is (hidden_home.guard.name == "bubblewrap")


def test_a_workspace_behind_links_is_known_by_them(hidden_home: World) -> None:
    (hidden_home.home / "projects").symlink_to("workspace")
    linked = hidden_home.with_profile(
        readable=(*hidden_home.profile.readable, str(hidden_home.home / "projects"))
    )

    done = linked.run(f"echo x > {hidden_home.home}/projects/src/new && cat src/new")

    assert done.stdout == "x\n", done


def test_a_link_to_a_folder_of_the_guards_own_shows_nothing_of_it(
    hidden_home: World, tmp_path: Path
) -> None:
    """As `/var/run` leads to `/run`."""
    (tmp_path / "file").write_text("top secret")
    (hidden_home.home / "link").symlink_to("/tmp")
    linked = hidden_home.with_profile(readable=(str(hidden_home.home / "link"),))

    done = linked.run(f"cat {tmp_path}/file {hidden_home.home}/link/{tmp_path}/file")

    assert "top secret" not in done.stdout
