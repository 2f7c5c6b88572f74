"""The child process: loads a model file and answers questions, one line of JSON for each.

Native code runs here and nowhere else. The process ends when nobody has asked for a while, and with
whoever started it.
"""

import hashlib
import json
import os
import secrets
import select
import sys
from collections.abc import Mapping
from typing import Protocol, TextIO

CONTEXT_TOKENS = 8192
CACHE_MIB = 256  # for the prompts of other sessions
ALTERNATIVES = 40
MOST_THREADS = 4
_BLOCK = 1 << 22


class Server(Protocol):
    def handle_chat_completions(self, body: Mapping[str, object]) -> Mapping[str, object]: ...


def main() -> int:
    path, idle_seconds, *trusted = sys.argv[1:]
    answers = _own_answers()
    try:
        sha256 = _sha256(path)
        if sha256 not in trusted:
            # Native code reads only files whose hash is trusted.
            _say(answers, {"unknown": sha256})
            return 1
        server = _server(path)
    except (OSError, RuntimeError, ValueError, ImportError) as error:
        _say(answers, {"failed": f"{type(error).__name__}: {error}"})
        return 1
    _say(answers, {"ready": sha256})
    while select.select([sys.stdin], [], [], float(idle_seconds))[0]:
        line = sys.stdin.buffer.readline()
        if not line:
            break
        _say(answers, _answers(server, json.loads(line)))
    # Not by returning: while the native server is taken down, its threads can wait for ever.
    os._exit(0)


def _own_answers() -> TextIO:
    """Native code may print: what it prints must not be taken for an answer."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return own


def _say(answers: TextIO, said: Mapping[str, object]) -> None:
    answers.write(json.dumps(said) + "\n")
    answers.flush()


def _sha256(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _server(path: str) -> Server:
    # It comes without types.
    import xllamacpp  # type: ignore[import-untyped]

    # Threads wait for each other by spinning: as many as there are cores make a busy machine slow.
    threads = max(1, min(MOST_THREADS, (os.cpu_count() or 1) // 2))
    parameters = xllamacpp.CommonParams()
    parameters.model.path = path
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.cache_ram_mib = CACHE_MIB
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.warmup = False
    parameters.verbosity = 0
    # It always listens on a port; the key is unknown to others.
    parameters.api_keys = [secrets.token_hex(32)]
    server: Server = xllamacpp.Server(parameters)
    return server


def _answers(server: Server, request: Mapping[str, object]) -> Mapping[str, object]:
    questions = request["questions"]
    if not isinstance(questions, list):
        raise TypeError("the questions are not a list")
    # The same words first for every question: only the last line is read anew.
    answers = [_answer(server, request, question) for question in questions]
    return {"id": request["id"], "answers": answers}


def _answer(server: Server, request: Mapping[str, object], question: str) -> Mapping[str, object]:
    body = {
        "messages": [
            {"role": "system", "content": request["system"]},
            {"role": "user", "content": f"{request['view']}\n\n{question}"},
        ],
        "max_tokens": 1,
        "temperature": 0,
        "logprobs": True,
        "top_logprobs": ALTERNATIVES,
        "cache_prompt": True,
    }
    return server.handle_chat_completions(body)


if __name__ == "__main__":
    sys.exit(main())
