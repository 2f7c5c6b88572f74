"""Python code is proved by what it is made of, never by what it lacks."""

from automode.programs.python_code import prove_python
from tests.judge.sessions import TABLES
from tests.rows import each_row


@each_row("code, written", TABLES["python_proved"])
def test_code_that_reads_computes_prints_and_writes_what_it_names_is_proved(
    code: str, written: list[str]
) -> None:
    found = prove_python(code)

    assert found is not None
    assert list(found.written) == written


@each_row("code", [*TABLES["python_not_proved"], "x = 1\n" * 20_000])
def test_whatever_is_not_listed_is_not_proved(code: str) -> None:
    assert prove_python(code) is None


def test_a_path_that_is_put_together_of_texts_is_one_of_the_texts() -> None:
    found = prove_python(
        "import os; print(open(os.path.join('~', '.a' + 'ws', 'credentials')).read())"
    )

    assert found is not None
    assert "~/.aws/credentials" in found.texts


@each_row("code", ["open('a', 'w')", "open('a', 'w').write(' ')"])
def test_a_file_that_gets_nothing_is_emptied(code: str) -> None:
    found = prove_python(code)

    assert found is not None
    assert not found.fills
