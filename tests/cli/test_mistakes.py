"""What commands refuse: one line that says why, one with the way out, and nothing is changed."""

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.llm.model import Usage
from automode.store.changes import Change
from automode.store.folder import StateFolder
from tests.cli.stored import keep, kept_session, record, used
from tests.evaluation.written import action

pytestmark = pytest.mark.usefixtures("a_person")
Run = Callable[..., Result]
OWN = SessionKey("cli", "cli-2026-11-16")
DENIED = {"verdict": Verdict.DENY, "source": "classifier.local"}
STORE: tuple[Change, ...] = (
    kept_session(SessionKey("pi", "one-1")),
    kept_session(SessionKey("pi", "one-2")),
    used("pi/one-1", "mine/qwen", Usage(50, 1)),
    used("pi/one-2", "mine/qwen", Usage(50, 1)),
)
RECORDS = (
    replace(record(1, **DENIED), clearable=True),  # type: ignore[arg-type]  # fields of Record
    record(2, verdict=Verdict.DENY, source="rules.deny"),
    record(3, verdict=Verdict.DENY, source="floor.delete-root"),
    record(4, verdict=Verdict.DENY, source="classifier.deliberate"),
    record(5),
    replace(record(6, session=OWN, **DENIED), clearable=True),  # type: ignore[arg-type]
    replace(record(7, **DENIED), clearable=True, input='{"command": "echo '),  # type: ignore[arg-type]
)
FILES: dict[str, str] = {
    "folder/file": "",
    "other.json": '{"format": "other"}',
    "bad.json": '{"permissions": {"deny": [5]}}',
    "cases/calls.jsonl": json.dumps(action("read", "ls")),
}

MISTAKES = {
    "audit list --session nobody": "no session is called `nobody`",
    "audit list --since soon": "no time: `soon`",
    "audit list --limit 0": "limit",
    "audit list --isolated": "--state-folder",
    "audit show zzz": "no record has the id `zzz`",
    "audit show r": "more than one record begins with `r`",
    "audit verify --file missing.jsonl": "`missing.jsonl`",
    "audit verify --file other.json": "no export of the audit chain",
    "audit export other.json": "is there already",
    "usage --session nobody": "no session",
    "usage --session one": "several sessions",
    "status --session nobody": "no session is called `nobody`",
    "status --session one": "several sessions",
    "denials --limit x": "`x` is not a valid whole number",
    "denials --write": "--propose",
    "denials --choice 1": "--propose",
    "denials --propose r00000007": "too long to be recorded whole",
    "approve nothing": "no record has the id `nothing`",
    "approve r00000002": ("a deny rule is about it, and nothing lifts one", "change the rule"),
    "approve r00000003": ("the floor denied it", "for a person to do by hand"),
    "approve r00000004": ("a `hard_deny` rule", "autoMode.hard_deny"),
    "approve r00000005": "it was allowed",
    "approve r00000006": ("no approval counts", "automode denials --propose r00000006"),
    "purge --yes": "exactly one of --session, --before and --all",
    "purge --yes --all --session 0123": "exactly one of",
    "purge --yes --session nobody": "no session is called `nobody`",
    "purge --yes --before soon": "no time: `soon`",
    "purge --all": ("nobody is there to confirm", "--yes"),
    **{f"{verb} --session x --all": "exclude each other" for verb in ("on", "off", "reset")},
    **{f"{verb} --session nobody": "nobody" for verb in ("on", "off", "reset")},
    "model gpt-5": "provider/model-id",
    "model 'openai/gpt 5'": "provider/model-id",
    "model nobody/m": "no provider is called `nobody`",
    "model openai/gpt-5 --isolated": "--isolated",
    "model --test": "no model is chosen",
    "model openai/gpt-5 --test": "OPENAI_API_KEY",
    "trust --yes": "nothing to trust",
    "trust --yes /no/such": "no such folder",
    "trust --yes --isolated": "--isolated",
    "trust --yes --mods": "nothing to trust",
    "defaults nonsense": "hard_deny",
    "daemon status --isolated": "state folder",
    "daemon start --isolated": "--isolated",
    "doctor somebody": ("`somebody`", "claude-code"),
    "mcp-proxy": "name one server",
    "mcp-proxy --url http://h -- server": "name one server",
    "mcp-proxy --header a:b -- server": "--header goes with --url",
    "mcp-proxy --url ftp://h": "no address of a server: `ftp://h`",
    "mcp-proxy --url http://h --header x": "a --header without a name and a value",
    "mcp-proxy --url http://h --header a:${NO_SUCH_NAME}": "no variable `NO_SUCH_NAME`",
    "screen": "give either FILE or --batch FILE",
    "screen a.txt --batch b.jsonl": "give either FILE or --batch FILE",
    "screen missing.txt": "`missing.txt`",
    "screen folder": "`folder`",
    "screen --batch missing.jsonl": "`missing.jsonl`",
    "check --record bash ls": "--record is for batches",
    "check --record --batch - --no-record": "--record is for batches",
    "eval --data cases --model nobody/m": ("no model for the classifier", "--no-classifier"),
    "eval --data cases --model nobody/model": ("unknown provider `nobody`", "--model"),
    "eval --data missing --no-classifier": ("no such folder", "--data"),
    "eval --data cases --no-classifier --suite missing": ("no suite `missing`", "calls"),
    "eval --cost-cap 0": ("--cost-cap", "--help"),
    "eval --limit 0": ("--limit", "--help"),
    "eval --stages third": ("--stages", "--help"),
    "eval report .": "holds no run",
    "eval report missing": "holds no run",
    "eval compare missing missing": "holds no run",
    "replay missing": "neither an agent nor a file",
    "replay --from nobody": "neither an agent nor a file",
    "replay --model x/y --no-classifier": "--model is for the classifier",
    "replay --model nobody/m": "no model for the classifier",
    "replay --since yesterday": "no time",
    "replay --policy nowhere.json": "does not exist",
    "replay --policy bad.json --no-classifier": "every call is asked about",
    "replay --isolated --from audit": "--isolated leaves out the state folder",
}


def contents(folder: Path) -> dict[str, bytes]:
    """Every file, except what SQLite and locks leave beside theirs."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found if path.suffix in ("", ".json", ".txt")}


@pytest.fixture
def world(project: Path, state: StateFolder) -> Path:
    for name, text in FILES.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    keep(state, *STORE, *RECORDS)
    return project


@pytest.mark.parametrize(("words", "said"), MISTAKES.items(), ids=MISTAKES)
def test_a_mistake_is_named_with_the_way_out_and_changes_nothing(
    automode: Run, world: Path, words: str, said: str | tuple[str, ...]
) -> None:
    before = contents(world.parent)

    result = automode(*shlex.split(words))

    assert result.exit_code == 2, result.output
    for part in (said,) if isinstance(said, str) else said:
        assert part in result.stderr
    assert result.stderr.startswith("error: ")
    assert contents(world.parent) == before
