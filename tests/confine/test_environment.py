"""What a confined command writes does not run by the agent's environment in a later command that
only reads: played with the real guards, bash and git."""

import os
import subprocess
from pathlib import Path

import pytest

from automode.confine.environment import led_into
from automode.confine.profile import BadOrder
from tests.confine.conftest import World
from tests.rows import each_row

W = "/srv/shop"
PLANT = "mkdir -p $(dirname {at}); printf '#!/bin/sh\\ntouch {mark}\\n' > {at}; chmod +x {at}"
CONFIG = "mkdir -p $(dirname {at}); printf '[core]\\nfsmonitor=touch {mark};:\\n' > {at}"

# The agent's variables, what a confined call writes and where, and a read that comes later.
LATER = [
    ({"PATH": "{w}/bin:{path}"}, PLANT, "bin/ls", "ls"),
    ({"PATH": "{w}/tools/bin:{path}"}, PLANT, "tools/bin/ls", "ls"),
    ({"PATH": "bin:{path}"}, PLANT, "bin/ls", "ls"),
    ({"PATH": ".:{path}"}, PLANT, "ls", "ls"),
    ({"PATH": ":{path}"}, PLANT, "ls", "ls"),
    ({"PATH": "{w}:{path}"}, PLANT, "ls", "ls"),
    ({"PATH": "{home}/link:{path}"}, PLANT, "bin/ls", "ls"),
    ({"GIT_EXTERNAL_DIFF": "{w}/d.sh"}, PLANT, "d.sh", "git diff"),
    ({"GIT_EXTERNAL_DIFF": "./d.sh"}, PLANT, "d.sh", "git diff"),
    ({"GIT_EXTERNAL_DIFF": "sh tools/d.sh"}, PLANT, "tools/d.sh", "git diff"),
    ({"GIT_CONFIG_GLOBAL": "{w}/gc"}, CONFIG, "gc", "git status"),
    ({"GIT_CONFIG_GLOBAL": "gc"}, CONFIG, "gc", "git status"),
    ({"XDG_CONFIG_HOME": "{w}/cfg", "HOME": "{home}"}, CONFIG, "cfg/git/config", "git status"),
    ({"XDG_CONFIG_HOME": "{w}", "HOME": "{home}"}, CONFIG, "git/config", "git status"),
    (
        {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "core.fsmonitor",
            "GIT_CONFIG_VALUE_0": "{w}/m.sh",
        },
        PLANT,
        "m.sh",
        "git status",
    ),
    ({"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='./m.sh'"}, PLANT, "m.sh", "git status"),
    ({"BASH_ENV": "{w}/rc"}, "echo touch {mark} > {at}", "rc", "bash -c 'ls'"),
]


@pytest.mark.real
@pytest.mark.parametrize("row", LATER, ids=lambda row: f"{row[0]} {row[2]}")
def test_nothing_that_was_planted_runs_later(
    row: tuple[dict[str, str], str, str, str], world: World
) -> None:
    variables, plant, at, later = row
    mark, path = world.home / "other/mark", os.environ["PATH"]
    subprocess.run(["git", "init", "-q", str(world.home / "new")], check=True)
    subprocess.run(["cp", "-rT", str(world.home / "new/.git"), str(world.workspace / ".git")])
    (world.workspace / "tools").mkdir()
    (world.workspace / "a").write_text("1")
    subprocess.run(["git", "-C", str(world.workspace), "add", "a"], check=True)
    (world.workspace / "a").write_text("2")
    (world.home / "link").symlink_to("workspace/bin")
    given = {
        name: value.format(w=world.workspace, home=world.home, path=path)
        for name, value in variables.items()
    }

    world.run(plant.format(at=world.workspace / at, mark=mark), None, **given)
    # As the agent runs it, when the gate has let it pass as a read.
    subprocess.run(
        ["/bin/bash", "-c", later],
        cwd=world.workspace,
        env={**os.environ, **given},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )

    assert not mark.exists()


@pytest.mark.real
def test_without_such_variables_the_same_can_be_written(wrapped: World) -> None:
    done = wrapped.run("mkdir bin && touch bin/ls d.sh gc", GIT_EDITOR="true", GIT_PAGER="cat")

    assert done.returncode == 0, done
    assert (wrapped.workspace / "bin/ls").exists()


@each_row(
    "variables, held",
    [
        ({"PATH": f"/usr/bin:{W}/node_modules/.bin"}, [f"{W}/node_modules/.bin"]),
        ({"PATH": "/usr/bin", "PWD": W, "OLDPWD": W, "COVERAGE_FILE": f"{W}/c"}, []),
        ({"LD_PRELOAD": f"{W}/a.so {W}/b.so"}, [f"{W}/a.so", f"{W}/b.so"]),
        ({"SOMETHING_NEW": f"--load={W}/x.js"}, [f"{W}/x.js"]),
        ({"SOMETHING_NEW": f"--load={W}/my tools/x.js"}, [f"{W}/my", f"{W}/my tools/x.js"]),
        ({"SOMETHING_NEW": f"{W}2/x {W}-b/x"}, []),
        ({"TZ": "Europe/Berlin", "NODE_ENV": "test", "SHLVL": "1", "TERM": "xterm"}, []),
        (
            {
                "GIT_PAGER": "cat",
                "GIT_EDITOR": "true",
                "GIT_AUTHOR_NAME": "J. Doe",
                "GIT_MERGE_AUTOEDIT": "no",
            },
            [],
        ),
        ({"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory"}, []),
        ({"GIT_CONFIG_VALUE_0": "*", "HTTP_PROXY": "http://proxy:80/"}, []),
    ],
)
def test_what_variables_name_in_the_workspace_is_held(
    variables: dict[str, str], held: list[str]
) -> None:
    assert led_into({"PATH": "/usr/bin:/bin", **variables}, [W], W) == held


@each_row(
    "variables",
    [
        ({"PATH": "/usr/bin:"},),
        ({"PATH": "bin"},),
        ({"LD_LIBRARY_PATH": "/opt/cuda/lib64:"},),
        ({"PYTHONPATH": "src"},),
        ({"PYTHONPATH": W},),
        ({"SOMETHING_NEW": W},),
        ({"KUBECONFIG": "conf"},),
        ({"PATH": "$HOME/bin:/bin"},),
        ({"PATH": "~/bin:/bin"},),
        ({"GIT_EXTERNAL_DIFF": "$HOME/d"},),
        ({"GIT_CONFIG_GLOBAL": "cat"},),
        ({"PATH": "/bin:cat"},),
    ],
)
def test_what_cannot_be_held_is_refused_and_says_which_variable(
    variables: tuple[dict[str, str]],
) -> None:
    (given,) = variables
    with pytest.raises(BadOrder, match=f"`{next(iter(given))}`"):
        led_into({"PATH": "/usr/bin:/bin", **given}, [W], W)


@each_row("value", [("--at={}/x",), ("{}/x y:/z",)])
def test_a_workspace_with_a_blank_in_its_name_is_found(value: tuple[str]) -> None:
    place = "/srv/my shop, new"

    (first, *_) = led_into({"NEW": value[0].format(place)}, [place], place)

    assert first.startswith(f"{place}/x")
    with pytest.raises(BadOrder, match="`NEW`"):
        led_into({"NEW": f"a {place} b"}, [place], place)


def test_a_relative_name_counts_where_it_leads_to_a_file(tmp_path: Path) -> None:
    (tmp_path / "hook.js").write_text("")
    (tmp_path / "test").mkdir()

    found = led_into({"RUNS": "hook.js test ./new.js test/x"}, [str(tmp_path)], str(tmp_path))

    assert found == [f"{tmp_path}/{one}" for one in ("hook.js", "new.js", "test/x")]
