"""A signed-in agent as the model: what it is started with, and every way it can fail."""

import asyncio
import json
import os
import stat
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from automode.core.workspace import is_judge_folder
from automode.llm.endpoints import Missing, Sources
from automode.llm.hosted import Wire
from automode.llm.model import Ask, Model, ModelError, ModelFault, Prompt, Reply
from automode.llm.providers import Api, OwnServer
from automode.llm.registry import resolve
from automode.llm.subscriptions import SUBSCRIPTIONS, Subscription
from tests.rows import each_row, rows

PROMPT = Prompt("THE POLICY", "THE CONTEXT", "THE QUESTION")
ANSWER = '{"decision": "allow", "tier": "none", "reason": "fine"}'
_ENDED = {"type": "result", "subtype": "success", "is_error": False, "result": ANSWER}
_USED = {"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 2}
CLAUDE = json.dumps({**_ENDED, "usage": _USED, "total_cost_usd": 0.25})
CODEX = "\n".join(
    json.dumps(line)
    for line in (
        {"type": "item.completed", "item": {"type": "agent_message", "text": ANSWER}},
        {
            "type": "turn.completed",
            "usage": {"input_tokens": 9, "cached_input_tokens": 2, "output_tokens": 3},
        },
    )
)
_TOKENS = {"prompt": 9, "cached": 2, "candidates": 2, "thoughts": 1}
GEMINI = json.dumps({"response": ANSWER, "stats": {"models": {"m": {"tokens": _TOKENS}}}})
ANSWERS = {"claude-cli": CLAUDE, "codex-cli": CODEX, "gemini-cli": GEMINI}


POLICY_GOES_BY = {
    "claude-cli": "--system-prompt-file\n",
    "codex-cli": "model_instructions_file=",
    "gemini-cli": "\nGEMINI_SYSTEM_MD=",
}


def program(folder: Path, body: str) -> str:
    """A program that leaves what it was started with in `folder`, reads, and then does `body`."""
    path = folder / "program"
    path.write_text(
        "#!/bin/sh\n"
        f"pwd > {folder}/cwd; env > {folder}/env; echo $$ >> {folder}/pids\n"
        f'printf "%s\\n" "$@" > {folder}/words; cat system.md > {folder}/system\n'
        f"cat > {folder}/question\n{body}\n"
    )
    path.chmod(0o755)
    return str(path)


def alive(folder: Path) -> list[str]:
    """What still runs of the programs that were started there, and of all that they started."""
    groups = (folder / "pids").read_text().split()
    shown = subprocess.run(["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True)
    rows = [line.split(None, 2) for line in shown.stdout.splitlines()]
    return [" ".join(row) for row in rows if row[0] in groups and not row[1].startswith("Z")]


def says(text: str) -> str:
    return f"cat <<'END'\n{text}\nEND"


def model(
    name: str, command: str, environment: Mapping[str, str] | None = None, wire: Wire | None = None
) -> Model:
    """Signed in, unless `environment` says where to look."""
    own = OwnServer(name, Api.OPENAI, "", None, command)
    agent, home = SUBSCRIPTIONS[name], os.path.dirname(command)
    file = Path(home, agent.account[1], agent.account[2])
    if environment is None:
        file.parent.mkdir(exist_ok=True)
        file.touch()
    given = {"HOME": home} if environment is None else environment
    found = resolve(f"{name}/some-model", Sources(given, own=(own,)), wire=wire)
    assert not isinstance(found, Missing)
    return found


def ask(name: str, command: str, seconds: float = 20.0) -> Reply:
    return asyncio.run(model(name, command).complete(PROMPT, Ask(100, seconds)))


@pytest.mark.parametrize("name", SUBSCRIPTIONS)
def test_a_program_gets_policy_and_question_in_a_marked_folder_that_is_gone_afterwards(
    name: str, tmp_path: Path
) -> None:
    reply = ask(name, program(tmp_path, says(ANSWERS[name])))

    assert (reply.text, reply.complete) == (ANSWER, True)
    assert (reply.usage.prompt, reply.usage.output) == (9, 3)
    assert (tmp_path / "system").read_text() == "THE POLICY"
    told = " ".join((tmp_path / file).read_text() for file in ("words", "env"))
    folder = (tmp_path / "cwd").read_text().strip()
    assert f"{POLICY_GOES_BY[name]}{folder}/system.md\n" in told
    assert is_judge_folder(folder)
    assert not os.path.exists(folder)
    asked = (tmp_path / "question").read_text()
    assert asked.index("THE CONTEXT") < asked.index("THE QUESTION")
    assert "some-model" in (tmp_path / "words").read_text().splitlines()


@pytest.mark.parametrize("name", SUBSCRIPTIONS)
def test_a_program_gets_only_the_variables_that_signing_in_needs(name: str, tmp_path: Path) -> None:
    agent = SUBSCRIPTIONS[name]
    secrets = dict.fromkeys(("SOME_TOKEN", "AWS_SECRET_ACCESS_KEY", *agent.moved), "not-for-it")
    given = {"HOME": str(tmp_path), "PATH": "/evil", **secrets}
    (tmp_path / agent.account[1]).mkdir()
    (tmp_path / agent.account[1] / agent.account[2]).touch()
    one = model(name, program(tmp_path, says(ANSWERS[name])), given)
    asyncio.run(one.complete(PROMPT, Ask(100, 20.0)))

    seen = (tmp_path / "env").read_text()
    assert f"HOME={tmp_path}" in seen
    assert "not-for-it" not in seen
    assert "/evil" not in seen


@each_row("name, kind, sentence, said", rows("llm", "subscription-failures"))
def test_a_failure_is_a_sentence_and_never_an_answer(
    name: str, kind: str, sentence: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError) as raised:
        ask(name, program(tmp_path, says(said)))

    assert raised.value.kind is ModelFault(kind)
    assert sentence in str(raised.value)


TOOL = json.dumps({"type": "item.completed", "item": {"type": "mcp_tool_call"}})
STRANGE, TIMEOUT = "in a way it does not document", "did not finish"
BROKEN = [
    *((one, body, 20, STRANGE) for one in SUBSCRIPTIONS for body in ("exit 3", "echo '[[[{'")),
    *((one, body, 20, STRANGE) for one in SUBSCRIPTIONS for body in ("kill -9 $$", "echo null")),
    *(
        (one, f"{says(ANSWERS[one])}\n{end}", 20, "did not end well")
        for one in SUBSCRIPTIONS
        for end in ("exit 3", "kill -9 $$", "exec >&-; sleep 60")
    ),
    *((one, says(f"{ANSWERS[one].splitlines()[0]}\n{ANSWERS[one]}"), 20, STRANGE)  # two answers
      for one in ("claude-cli", "codex-cli")),
    ("codex-cli", says(f"{TOOL}\n{CODEX}"), 20, "it called a tool"),
    ("claude-cli", "yes", 20, "longer than"),
    ("claude-cli", "yes | head -c 9000000; sleep 60", 1, "longer than"),
    ("claude-cli", "yes | head -c 5000000 >&2; sleep 60", 1, TIMEOUT),
    *(("claude-cli", body, 0.5, TIMEOUT)
      for body in ("sleep 60", "sleep 60 & sleep 60", "trap '' TERM; sleep 60")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "seconds", "told"), BROKEN)
def test_a_program_that_fails_hangs_or_says_too_much_gives_no_answer_and_leaves_nothing(
    name: str, body: str, seconds: float, told: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=told) as raised:
        ask(name, program(tmp_path, body), seconds)

    expected = ModelFault.TIMEOUT if told is TIMEOUT else ModelFault.UNREADABLE
    assert raised.value.kind is expected
    assert alive(tmp_path) == []


def test_what_a_program_leaves_behind_does_not_spoil_its_answer(tmp_path: Path) -> None:
    body = f"{says(CLAUDE)}\nsleep 60 >/dev/null &"

    assert ask("claude-cli", program(tmp_path, body)).text == ANSWER
    assert alive(tmp_path) == []


def test_the_time_of_a_limit_is_handed_on(tmp_path: Path) -> None:
    event = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected"}}
    event["rate_limit_info"]["resetsAt"] = time.time() + 900  # type: ignore[index]
    ended = {"type": "result", "is_error": True, "result": "limit reached"}
    body = says(f"{json.dumps(event)}\n{json.dumps(ended)}")

    with pytest.raises(ModelError) as raised:
        ask("claude-cli", program(tmp_path, body))

    assert "try again in 15 min" in str(raised.value)
    assert raised.value.retry_after is not None
    assert 800 < raised.value.retry_after <= 900


def test_a_question_that_is_cancelled_ends_the_program(tmp_path: Path) -> None:
    async def cancelled() -> None:
        one = model("claude-cli", program(tmp_path, "sleep 60"))
        task = asyncio.create_task(one.complete(PROMPT, Ask(100, 30.0)))
        while not (tmp_path / "question").exists():
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()

    asyncio.run(cancelled())
    assert alive(tmp_path) == []


def test_one_process_waits_for_the_next_question_and_none_is_left(tmp_path: Path) -> None:
    """Where connections are kept, a program is started before it is needed."""

    async def asked() -> list[str]:
        wire = Wire(keep_alive=True)
        one = model("claude-cli", program(tmp_path, says(CLAUDE)), wire=wire)
        texts = []
        for number in range(2):
            texts.append((await one.complete(PROMPT, Ask(100, 20.0))).text)
            while len((tmp_path / "pids").read_text().split()) < number + 2:
                await asyncio.sleep(0.01)
        await wire.close()
        return texts

    assert asyncio.run(asked()) == [ANSWER, ANSWER]
    assert len((tmp_path / "pids").read_text().split()) == 3  # two asked, one that waited
    assert alive(tmp_path) == []


@pytest.mark.parametrize("name", ["codex-cli", "gemini-cli"])
def test_a_program_without_a_sign_in_is_not_even_started(name: str, tmp_path: Path) -> None:
    """Codex would look for its server until the time is up."""
    one = model(name, program(tmp_path, says(ANSWERS[name])), {"HOME": str(tmp_path)})

    with pytest.raises(ModelError, match="is not signed in: run") as raised:
        asyncio.run(one.complete(PROMPT, Ask(100, 20.0)))

    assert raised.value.kind is ModelFault.BAD_KEY
    assert not (tmp_path / "pids").exists()


def test_a_model_without_a_chosen_program_says_what_to_type() -> None:
    found = resolve("claude-cli/haiku", Sources({"PATH": "/usr/bin"}))

    assert isinstance(found, Missing)
    assert "`automode model claude-cli/haiku`" in found.reason


@pytest.mark.parametrize("name", ["copilot-cli", "qwen-cli"])
def test_an_agent_that_cannot_judge_says_why(name: str) -> None:
    found = resolve(f"{name}/some-model", Sources({}))

    assert isinstance(found, Missing)
    assert found.kind is ModelFault.UNKNOWN_MODEL
    assert len(found.reason.split()) > 8


@pytest.mark.parametrize("agent", [one for one in SUBSCRIPTIONS.values() if one.links])
def test_a_sign_in_is_linked_and_a_renewed_one_is_put_back(
    agent: Subscription, tmp_path: Path
) -> None:
    file = tmp_path / agent.account[1] / agent.account[2]
    file.parent.mkdir()
    file.write_text('{"a": 1}')
    given, link = {"HOME": str(tmp_path)}, agent.links[0]
    kept = []
    for new in ('{"a": 2}', '{"a": ', ""):
        body = f"cat {link} > {tmp_path}/seen; rm {link}; echo '{new}' > {link}"
        command = program(tmp_path, f"{body}\n{says(ANSWERS[agent.name])}")
        asyncio.run(model(agent.name, command, given).complete(PROMPT, Ask(100, 20.0)))
        kept.append(file.read_text().strip())

    assert (tmp_path / "seen").read_text().strip() == '{"a": 2}'
    assert set(kept) == {'{"a": 2}'}  # half a file is never put back
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_sign_in_that_the_person_renewed_meanwhile_stays(tmp_path: Path) -> None:
    file, link = tmp_path / ".codex" / "auth.json", "codex/auth.json"
    file.parent.mkdir()
    file.write_text('{"a": 1}')
    body = f"""rm {link}; echo '{{"a": 2}}' > {link}; echo '{{"a": 3}}' > {file}"""
    one = model("codex-cli", program(tmp_path, f"{body}\n{says(CODEX)}"), {"HOME": str(tmp_path)})

    asyncio.run(one.complete(PROMPT, Ask(100, 20.0)))

    assert json.loads(file.read_text()) == {"a": 3}


STEERING = {
    "a variable": '{"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}}',
    "half a file": '{"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}',
    "no object": "[]",
}


@pytest.mark.parametrize("name", STEERING)
def test_claudes_own_state_steers_no_judge(name: str, tmp_path: Path) -> None:
    """Its variables count whatever its options say: one moves the server."""
    command = program(tmp_path, says(CLAUDE))
    (tmp_path / ".claude.json").write_text(STEERING[name])

    with pytest.raises(ModelError, match="steer the judge"):
        ask("claude-cli", command)

    assert not (tmp_path / "pids").exists()


@pytest.mark.parametrize("name", SUBSCRIPTIONS)
def test_no_program_looks_for_its_files_above_its_folder(name: str, tmp_path: Path) -> None:
    ask(name, program(tmp_path, f"ls -a . .gemini > {tmp_path}/files\n{says(ANSWERS[name])}"))

    files = (tmp_path / "files").read_text().split()
    assert ".git" in files
    assert (".env" in files) is (name == "gemini-cli")


def test_its_files_are_for_the_account_alone(tmp_path: Path) -> None:
    command = program(tmp_path, f"stat -c %a . > {tmp_path}/mode\n{says(GEMINI)}")
    ask("gemini-cli", command)

    assert (tmp_path / "mode").read_text().strip() == f"{stat.S_IRWXU:o}"
