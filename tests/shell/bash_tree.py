"""Reads JSON strings, one per line, and answers each with bash's own syntax tree, or `null`.

A program of its own, because bash's parser inside it may end the process on odd input; run by
`test_referee.py`. `libbash` is under the GPL: nothing that is installed may import it.
"""

import json
import os
import sys
import tempfile

import libbash  # type: ignore[import-untyped]  # it ships no annotations


def tree(text: str, path: str) -> object:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        return [
            json.loads(json.dumps(node._to_json(), default=str))
            for node in libbash.bash_to_ast(path)
        ]
    except (RuntimeError, UnicodeError):
        return None


def main() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            answers.write(json.dumps(tree(json.loads(line), f"{folder}/script")) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
