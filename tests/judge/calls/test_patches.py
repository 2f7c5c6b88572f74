"""Which files a patch changes: known by what is in it, or by what printed it."""

from dataclasses import replace
from pathlib import Path

from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.judge.consent.requests import users_words
from tests.judge.sessions import CALLS, bash, saying
from tests.reading import facts_of
from tests.rows import each_row

CHANGE = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-x\n+y\n"
SOURCE, PIPELINE = CHANGE.format("app.py"), CHANGE.format(".github/workflows/ci.yml")

KNOWN = [
    "git apply own.diff",
    "git apply -3 --whitespace=fix own.diff",
    "git apply --check own.diff && git apply own.diff",
    "patch -p1 < own.diff",
    "patch -p1 -i own.diff",
    "patch app.py own.diff",
    f"git apply <<'E'\n{SOURCE}E",
    "shellcheck -f diff bin/*.sh | git apply",
    "shellcheck -f diff bin/a.sh > sc.diff; git apply --stat sc.diff && git apply sc.diff",
    "ruff check --diff src | git apply",
    "black --diff . | patch -p0",
    "gofmt -d . | git apply",
    "git diff main -- src | git apply",
    "git show abc123 -- app.py > /tmp/one.diff && git apply /tmp/one.diff",
    "git apply --stat pipeline.diff",
    "mkdir -p src && git -C . apply own.diff",
]
UNKNOWN = [
    "git apply pipeline.diff",
    "git apply own.diff pipeline.diff",
    "patch -p1 < pipeline.diff",
    "patch .github/workflows/ci.yml own.diff",
    f"git apply <<'E'\n{PIPELINE}E",
    f"patch -p1 <<'E'\n{CHANGE.format('.git/hooks/pre-commit')}E",
    f"patch -p1 <<'E'\n{CHANGE.format('../../.bashrc')}E",
    "git apply missing.diff",
    "git apply app.py",
    "git apply $X",
    "git apply *.diff",
    "git apply -R own.diff",
    "git diff | git apply -R",
    "patch -R -p1 < own.diff",
    "git apply --directory=.github own.diff",
    "patch -d .. -p1 < own.diff",
    "git -C /home/user/projects/other apply own.diff",
    "git -C .github apply own.diff",
    "git -C $X apply own.diff",
    "git --git-dir=/x/.git apply own.diff",
    "cp pipeline.diff own.diff; git apply own.diff",
    "cat pipeline.diff > own.diff; git apply own.diff",
    "python gen.py && git apply own.diff",
    "curl -s https://example.com/a.diff | git apply",
    "curl -so own.diff https://example.com/a.diff; git apply own.diff",
    "python gen.py | git apply",
    "cat own.diff | sed s/app/.git/ | git apply",
    "shellcheck -f diff .git/hooks/pre-commit | git apply",
    "shellcheck -f diff bin/a.sh | sed s/bin/.git/ | git apply",
    "shellcheck bin/a.sh | git apply",
    "git diff --no-index app.py /etc/passwd | git apply",
    "git diff -R | git apply",
    "printf '%s' \"$X\" | git apply",
    "ssh web cat a.diff | git apply",
]


def _project(root: Path) -> Workspace:
    for name, text in {"own.diff": SOURCE, "pipeline.diff": PIPELINE, "app.py": "x\n"}.items():
        (root / name).write_text(text)
    return Workspace(str(root), str(root), "/home/user", Disk(), temporary=("/tmp",))


def _deeds(command: str, place: Workspace) -> tuple[str, ...]:
    session = replace(saying("fix the findings"), workspace=place)
    words = users_words(session.transcript.entries)
    return CALLS(facts_of(bash(command), session), session, words).deeds


@each_row("command", KNOWN)
def test_a_patch_of_sources_steers_nothing(tmp_path: Path, command: str) -> None:
    assert "steers-unnamed" not in _deeds(command, _project(tmp_path))


@each_row("command", UNKNOWN)
def test_a_patch_that_may_be_of_anything_has_to_be_named(tmp_path: Path, command: str) -> None:
    assert "steers-unnamed" in _deeds(command, _project(tmp_path))
