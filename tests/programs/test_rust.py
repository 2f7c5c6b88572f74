"""cargo and rustc: which command lines only read, and what the others do."""

import shlex
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.programs.rust import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
cargo tree
cargo tree -i serde
cargo tree --duplicates
cargo metadata --no-deps --format-version 1
cargo search serde
cargo --version
cargo -V
cargo --list
cargo pkgid
cargo locate-project
cargo help build
cargo fmt --check
cargo fmt --all -- --check
cargo info serde
rustc --version
rustc --print sysroot
rustc --explain E0308
rustc -vV
rustup show
rustup toolchain list
rustup target list --installed
rustup which rustc
rustup --version
rustfmt --check src/main.rs
""".strip().splitlines()
NOT_READING = (
    ("cargo build", Effect.RUNS),
    ("cargo tree --config x=y", Effect.RUNS),
    ("cargo --config x=y tree", Effect.RUNS),
    ("cargo +evil tree", Effect.RUNS),
    ("cargo -Zfoo tree", Effect.UNKNOWN),
    ("cargo -C .. tree", Effect.UNKNOWN),
    ("cargo owner --add x", Effect.REMOTE_WRITE),
    ("cargo owner --list --token x", Effect.REMOTE_WRITE),
    ("cargo config get", Effect.UNKNOWN),
    ("cargo fmt", Effect.RUNS),
    ("cargo search x --index http://e", Effect.NETWORK),
    ("cargo foo", Effect.UNKNOWN),
    ("cargo install --list x", Effect.NETWORK),
    ("rustc --print=sysroot=out x.rs", Effect.RUNS),
    ("rustc x.rs --print sysroot", Effect.RUNS),
    ("rustc x.rs", Effect.RUNS),
    ("rustup update", Effect.NETWORK),
    ("rustup default nightly", Effect.NETWORK),
    ("rustfmt x.rs", Effect.WRITES),
    ("rustfmt --emit files x", Effect.WRITES),
    ("cargo doc --open", Effect.RUNS),
    ("cargo --config=x=y --version", Effect.RUNS),
    ("cargo +nightly --version", Effect.RUNS),
    ("cargo +1.80 tree", Effect.RUNS),
    ("rustc +evil --version", Effect.RUNS),
    ("rustfmt +evil --check x.rs", Effect.RUNS),
)
ORDINARY = """
cargo test
cargo build --release
cargo clippy --fix
cargo fmt
cargo check -p x
""".strip().splitlines()
FOREIGN = """
cargo test --manifest-path ../o/Cargo.toml
cargo build --config x=y
""".strip().splitlines()


@pytest.mark.parametrize("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert not line(text).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("text", "effect"), NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    use = line(text)
    assert use.effect & effect
    assert use.why


@pytest.mark.parametrize("text", ORDINARY)
def test_the_usual_steps_of_development_are_ordinary_but_no_reads(text: str) -> None:
    use = line(text)
    assert use.effect & Effect.DEVELOPMENT
    assert use.effect & (Effect.RUNS | Effect.WRITES)


@pytest.mark.parametrize("text", FOREIGN)
def test_code_or_settings_from_elsewhere_are_not_ordinary(text: str) -> None:
    use = line(text)
    assert not use.effect & Effect.DEVELOPMENT
    assert use.effect & ~Effect.REMOTE_READ


IN_PLACE = """
cargo tree
cargo metadata --no-deps
cargo --version
cargo fmt --check
cargo search serde
rustc --version
rustup show
rustfmt --check src/main.rs
""".strip().splitlines()
SETTINGS = (".cargo/config.toml", ".cargo/config", "rust-toolchain", "rust-toolchain.toml")


def in_folder(root: Path, text: str) -> Use:
    """The line as seen from a folder below the root of a real workspace."""
    folder = root / "crates" / "one"
    folder.mkdir(parents=True, exist_ok=True)
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=str(folder))
    workspace = Workspace(str(root), str(root), "/home/ada", Disk())
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


@pytest.mark.parametrize("text", IN_PLACE)
@pytest.mark.parametrize("settings", SETTINGS)
def test_settings_that_may_name_the_compiler_make_a_look_run_it(
    tmp_path: Path, text: str, settings: str
) -> None:
    assert not in_folder(tmp_path, text).effect & ~Effect.REMOTE_READ
    (tmp_path / settings).parent.mkdir(exist_ok=True)
    (tmp_path / settings).write_text("")
    use = in_folder(tmp_path, text)
    assert use.effect & Effect.RUNS
    assert use.effect & Effect.DEVELOPMENT
    assert use.why
