"""Automode as a Pi package: packed by npm, installed from its tarball into the real Pi."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from conformance.driver import ScenarioDriver
from conformance.programs import pinned
from conformance.trial import Trial, trial

import automode
from automode.agents.scripted.driver import NoProgram
from automode.agents.scripted.wire import saying, using
from automode.doctor.examine import SYSTEM_PROGRAMS

ROOT = Path(__file__).parents[2]
AGENTS = os.environ.get("AUTOMODE_AGENTS", str(ROOT / ".venv/agents"))
LOADER = "plugins/pi/automode.ts"
HOME_LINE = "const home = userInfo().homedir;"
PATIENCE_SECONDS = 120.0
OFFLINE_FROM_FOLDERS = ("pi-old",)
"""Installs a tarball anew at every start, and skips it where it may not."""
MANIFEST = json.loads((ROOT / "package.json").read_text())


def test_the_manifest_is_one_of_pi_and_of_this_release() -> None:
    (extension,) = MANIFEST["pi"]["extensions"]

    assert MANIFEST["version"] == automode.__version__
    assert "pi-package" in MANIFEST["keywords"]
    assert (ROOT / extension).resolve() == ROOT / LOADER
    assert MANIFEST["private"] is True  # the name belongs to nobody here


def test_it_looks_for_automode_where_the_doctor_does() -> None:
    text = (ROOT / LOADER).read_text()

    assert text.count(HOME_LINE) == 1
    assert all(f'"{place}"' in text for place in SYSTEM_PROGRAMS)
    assert "`${home}/.local/bin/automode`" in text


@pytest.fixture(scope="module")
def npm() -> str:
    found = shutil.which("npm")
    if found is None:
        pytest.skip("NO NPM: it comes with Node; the package was not packed")
    return found


@pytest.fixture
def pi(release: str) -> ScenarioDriver:
    try:
        return pinned(release, AGENTS)
    except NoProgram as error:
        pytest.skip(f"NO REAL PI: {error}; {error.hint}")


def run(*words: str, cwd: Path | str, env: Mapping[str, str]) -> str:
    done = subprocess.run(
        words,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def pack(ready: Trial, npm: str, folder: Path) -> Path:
    """The tarball of a package that knows the folders of this trial, and no other automode."""
    home = ready.scratch.home
    source = folder / "source"
    for name in ("package.json", "README.md", "LICENSE", LOADER):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    text = (ROOT / LOADER).read_text().replace(HOME_LINE, f"const home = {json.dumps(home)};")
    text = text.replace("`${home}/.local/state/automode`", json.dumps(ready.state.path))
    text = text.replace("`${home}/.config/automode`", json.dumps(ready.config))
    for place in SYSTEM_PROGRAMS:
        text = text.replace(f'"{place}"', f'"{folder}/nowhere{place}"')
    (source / LOADER).write_text(text)
    own = {"HOME": str(folder), "npm_config_cache": f"{folder}/npm-cache"}
    words = ("pack", "--offline", "--pack-destination", str(folder))
    run(npm, *words, cwd=source, env={**os.environ, **own})
    (tarball,) = folder.glob("*.tgz")
    return tarball


def npm_environment(ready: Trial, npm: str) -> dict[str, str]:
    """Everything that npm writes lies below the home: Pi 0.73.1 would install globally."""
    home = ready.scratch.home
    own = {"npm_config_prefix": f"{home}/npm", "npm_config_cache": f"{home}/npm-cache"}
    folder = Path(home) / "only-npm"  # beside it lies another Node
    if not folder.exists():
        folder.mkdir()
        (folder / "npm").symlink_to(npm)
    path = f"{folder}:{ready.environment['PATH']}"
    return {**ready.environment, **own, "npm_config_offline": "true", "PATH": path}


@pytest.fixture
def ready(pi: ScenarioDriver, release: str, npm: str, tmp_path: Path) -> Iterator[Trial]:
    """Pi with the package from its tarball, and nothing that `automode install` wrote."""
    with trial(pi, install=False) as made:
        home = Path(made.scratch.home)
        tarball = pack(made, npm, tmp_path)
        source = f"npm:{MANIFEST['name']}@{tarball}"
        if release in OFFLINE_FROM_FOLDERS:
            shutil.unpack_archive(tarball, home)
            source = str(home / "package")
        run(*pi.words, "install", source, cwd=made.project, env=npm_environment(made, npm))
        yield made


def install_automode(home: str) -> None:
    program = Path(home) / ".local/bin/automode"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -I -m automode "$@"\n')
    program.chmod(0o755)


def play(ready: Trial, npm: str, *, guarded: bool = False) -> str:
    ready.model.plays(
        using(ready.agent.shell("touch allowed-1")),
        using(ready.agent.shell("touch denied-2")),
        saying("done"),
    )
    ran = ready.run(variables=npm_environment(ready, npm), guarded=guarded)
    assert ran.status == 0, ran.out + ran.err
    return "\n".join(ready.model.asked[-1].results)


@pytest.mark.real
@pytest.mark.parametrize("release", ["pi", "pi-1", "pi-old"])
def test_the_gate_decides_the_calls_of_a_pi_with_the_package(ready: Trial, npm: str) -> None:
    install_automode(ready.scratch.home)

    told = play(ready, npm)

    assert ready.files() == {"allowed-1"}
    assert [one.verdict.word for one in ready.records()] == ["allow", "deny"]
    assert "rules.deny" in told


@pytest.mark.real
@pytest.mark.parametrize("release", ["pi", "pi-1"])
@pytest.mark.parametrize("guarded", [False, True], ids=["install", "run"])
def test_beside_an_extension_that_automode_put_there_pi_starts_and_no_denied_call_runs(
    ready: Trial, npm: str, *, guarded: bool
) -> None:
    install_automode(ready.scratch.home)
    if not guarded:
        ready.install()

    play(ready, npm, guarded=guarded)

    assert ready.files() == {"allowed-1"}


@pytest.mark.real
@pytest.mark.parametrize("release", ["pi", "pi-1", "pi-old"])
def test_without_automode_no_call_runs(ready: Trial, npm: str) -> None:
    told = play(ready, npm)

    assert ready.files() == set()
    assert told.count("automode could not decide, so this call must not run: ") == 2
    assert "finds no automode in" in told
