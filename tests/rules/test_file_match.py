"""Rules for files hold for every file that a shell command touches."""

import asyncio
from pathlib import Path

import pytest

from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.facts.place import live_workspace
from automode.rules.layer import Rules
from automode.rules.pattern import Rule
from tests.reading import facts_of

RULES = ("read(plan.md)", "edit(package.json)", "write(infra/**)", "read(secrets/**)")
DENIED = r"""
cat plan.md
cat ./plan.md ../project/plan.md
cat < plan.md
cp plan.md copy.md
mv package.json other.json
rm package.json
rm -rf infra/x.tf
sed -i s/a/b/ package.json
tee package.json
cp a.txt infra/x.tf
dd if=plan.md
grep -n x plan.md
source plan.md
tar cf out.tar plan.md
head -5 plan.md | wc -l
git show HEAD:plan.md
git log --output=package.json
sort -o package.json a.txt
echo {} > package.json
echo {} >> ./package.json
echo x > infra/main.tf
sudo cat plan.md
bash -c 'cat plan.md'
python3 -c "open('package.json', 'w').write('{}')"
python3 -c "print(open('plan.md').read())"
node -e "fs.readFileSync('plan.md')"
""".strip().splitlines()
ASKED = r"""
cat "$FILE"
grep -rn x .
cp -r . /tmp/copy
rm -rf infra
mv infra elsewhere
git checkout -- package.json
git diff plan.md
git -C secrets log
hg revert package.json
cat *.md
cat p*
cat $(ls)
frobnicate plan.md
python3 -c "import sys; print(open(sys.argv[1]).read())" plan.txt
""".strip().splitlines()
PASSED = r"""
cat README.md
cat src/*.py
echo plan.md
test -f plan.md
ls plan.md
git status
git branch plan.md
git commit -m plan.md
mkdir out
grep plan.md README.md
echo x > notes.txt
echo x > /dev/null
cat package.json
frobnicate README.md
""".strip().splitlines()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("plan.md", "README.md", "package.json", "src/a.py", "secrets/k", "infra/x.tf"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    return root


def _decided(project: Path, command: str, verdict: Verdict = Verdict.DENY) -> Decision | None:
    layer = Rules(verdict, [Rule(text) for text in RULES])
    session = Session("s", live_workspace(str(project)))
    answer = asyncio.run(
        layer(facts_of(tool_call("bash", {"command": command}), session), session, ())
    )
    assert answer is None or isinstance(answer, Decision)
    return answer


@pytest.mark.parametrize("command", DENIED)
def test_a_denied_file_cannot_be_reached_through_the_shell(project: Path, command: str) -> None:
    decision = _decided(project, command)

    assert decision is not None
    assert decision.verdict is Verdict.DENY


@pytest.mark.parametrize("command", ASKED)
def test_a_file_that_is_not_known_is_asked_about(project: Path, command: str) -> None:
    decision = _decided(project, command)

    assert decision is not None
    assert decision.verdict is Verdict.ASK


@pytest.mark.parametrize("command", PASSED)
def test_other_files_are_not_the_rules_business(project: Path, command: str) -> None:
    assert _decided(project, command) is None


def test_an_ask_rule_asks(project: Path) -> None:
    decision = _decided(project, "cat plan.md", Verdict.ASK)

    assert decision is not None
    assert decision.verdict is Verdict.ASK


def test_a_link_to_a_denied_file_is_that_file(project: Path) -> None:
    (project / "other.md").symlink_to("plan.md")
    decision = _decided(project, "cat other.md")

    assert decision is not None
    assert decision.verdict is Verdict.DENY
