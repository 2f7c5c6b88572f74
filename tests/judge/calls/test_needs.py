"""Which words of a user name the pipelines and hooks of a project as what is to be changed."""

from automode.judge.calls.needs import named_by
from tests.rows import each_row

PIPELINE = "/home/user/projects/shop/.github/workflows/ci.yml"
HOOKS = "/home/user/projects/shop/.pre-commit-config.yaml"
NAMED = [
    "now CI: shellcheck step, checkout v4, timeouts",
    "add a CI job",
    "let CI run shellcheck too",
    "CI should also run the linter",
    "make CI run on pull requests",
    "can you run the tests in CI as well?",
    "please set up CI for this repo",
    "update the CI to use node 22",
    "the CI needs a cache for pip",
    "add a github workflow for the tests",
    "add ruff to CI",
    "put mypy into the ci",
    "extend CI with a lint step",
    "CI: cache the dependencies",
    "get the linter into CI",
    "bump the actions in CI",
    "our CI should build the docs",
    "I want CI to fail on warnings",
    "create a ci.yml that runs pytest",
    "add a build job to the pipeline",
    "switch CI to ubuntu-24.04",
    "lint in CI, please",
    "please move CI to python 3.12",
    "and have CI upload the coverage",
    "Could you include shellcheck in CI?",
    "then wire the e2e tests into CI",
    "the ci must also build on windows",
    "pin the actions in CI to hashes",
    "ci: matrix with node 20 and 22",
    "we need a second job in the pipeline for linting, please add a lint job to the pipeline",
]
ONLY_SPOKEN_OF = [
    "CI is red on main, find out why",
    "CI fails, fix the test",
    "wait until CI is green",
    "does CI pass?",
    "the test is flaky in CI",
    "don't touch CI",
    "it works locally but not in CI",
    "check the CI logs",
    "why is CI so slow?",
    "leave CI as it is",
    "fix the code so that CI passes",
    "it broke in CI",
    "make the test pass in CI",
    "CI is broken since yesterday, have a look",
    "the tests that run in CI are slow, make them faster",
    "update the test so that it passes in CI",
    "the build fails when it is run in CI",
    "make CI green again",
    "CI: red on main",
    "is there anything in CI that runs the linter?",
    "the linter complains in CI",
    "can you get CI to pass",
    "get CI green",
    "do not add anything to CI",
    "let's see what CI says",
    "which job in CI is it?",
    "run the tests, then wait for CI",
    "I'd like CI to be green",
]


def _names(words: str, path: str) -> bool:
    return named_by((words,)).file(path, "/home/user")


@each_row("words", NAMED)
def test_who_says_what_ci_is_to_do_names_its_file(words: str) -> None:
    assert _names(words, PIPELINE)
    assert not _names(words, "/home/user/projects/shop/.git/hooks/pre-commit")
    assert not _names(words, "/home/user/projects/shop/.vscode/tasks.json")


@each_row("words", ONLY_SPOKEN_OF)
def test_who_tells_of_ci_or_wants_it_green_does_not(words: str) -> None:
    assert not _names(words, PIPELINE)


@each_row(
    "words, named",
    [
        ("add a pre-commit hook for ruff", True),
        ("please set up pre-commit with black", True),
        ("bump the versions in pre-commit", True),
        ("pre-commit fails, fix the code", False),
        ("run pre-commit", False),
        ("add the test, pre-commit fails without it", False),
        ("do not use pre-commit", False),
    ],
)
def test_the_same_of_hooks(words: str, named: bool) -> None:
    assert _names(words, HOOKS) is named
    assert not _names(words, PIPELINE)
