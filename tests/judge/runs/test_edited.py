"""What `sed -i` makes of a file is told as sed itself does it, or not at all."""

import subprocess
from pathlib import Path

from automode.judge.runs.edited import after_call
from tests.judge.sessions import WORKSPACE
from tests.reading import READER
from tests.rows import each_row

TEXT = """\
set -e
for t in $(grep -o "^x" "$f"); do
  echo "$out" | sed s/a/b/
  v) A=1 ;;
read key value
K=${K:-7}
rm (a) [b] a.b a+b {x} $5
"""
FILE = f"{WORKSPACE.cwd}/f.sh"


def told(command: str) -> str | None:
    script = READER.full(command, WORKSPACE)
    return after_call(FILE, TEXT, (), script, WORKSPACE.cwd)[0]


KNOWN = [
    "sed -i 's/read key/read -r key/' f.sh",
    """sed -i 's|^for t in $(grep|# x\\n&|; s|^  echo "$out" . sed.*|  echo "$out"|' f.sh""",
    "sed -i -E 's/(K)=\\$\\{K:-([0-9]+)\\}/\\1=${\\1:-\\2\\2}/' f.sh",
    "sed -i 's/\\(v\\)) A/\\1) export A/' f.sh",
    "sed -i 's/a+b/X/;s/a\\.b/Z/g' f.sh",
    "sed -i 's/[[:space:]]*read/READ \\& x/I' f.sh",
    "sed -i -e 's/set -e/set -eu/' -e 's/{x}/{y}/' f.sh",
    "sed -i '2,3s/t/TT/' f.sh",
    "sed -i '$s/a/A/g' f.sh",
    "sed -i -E 's/\\(a\\)|\\[b\\]/c/g' f.sh",
    "sed -i 's/$5/six/' f.sh && sed -i '1s/e/E/' f.sh",
]


@each_row("command", KNOWN)
def test_a_file_is_as_sed_leaves_it(command: str, tmp_path: Path) -> None:
    (tmp_path / "f.sh").write_text(TEXT)
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)

    assert told(command) == (tmp_path / "f.sh").read_text()


UNTOLD = [
    "sed -i 's/a/b/e' f.sh",
    "sed -i 's/a/b/w x' f.sh",
    "sed -i '/x/s/a/b/' f.sh",
    "sed -i 's/\\(a\\)\\1/b/' f.sh",
    "sed -i 'r x' f.sh",
    'sed -i "s/a/$x/" f.sh',
    "cat x >> f.sh",
    "awk 1 x > f.sh",
    "perl -pi -e 's/a/b/' f.sh",
]


@each_row("command", UNTOLD)
def test_nothing_is_told_of_other_edits(command: str) -> None:
    assert told(command) is None


def test_what_is_added_is_not_changed_again() -> None:
    after = told("sed -i -e '1i git push' -e 's/git push/echo/' f.sh")

    assert after is not None
    assert "git push" in after
