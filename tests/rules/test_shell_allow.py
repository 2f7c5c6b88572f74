"""Allow patterns: what it takes to cover a whole script."""

from dataclasses import replace

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.rules.pattern import Rule, parse
from automode.rules.shell_allow import covering
from automode.shell.script import HOLE, Assignment, Command, Origin, Redirect, Script, Word
from tests.rows import each_row


class Listed(Names):
    def names(self, folder: str, limit: int) -> tuple[str, ...]:
        return {"/w": ("AGENTS.md", "notes.md"), "/w/src": ("a.js", "b.js")}.get(folder, ())


WORKSPACE = Workspace("/w", "/w", "/home/u", Listed("/w"))


def protected(path: str) -> bool:
    return path.startswith("/w/.git") or path.endswith("AGENTS.md")


def command(*words: str | Word, **rest: object) -> Command:
    made = tuple(Word(word) if isinstance(word, str) else word for word in words)
    return replace(Command(made, cwd="/w"), **rest)  # type: ignore[arg-type]  # fields of Command


def variable(name: str, value: str = "1", origin: Origin = Origin.LITERAL) -> Assignment:
    return Assignment(name, Word(value, origin))


def covered(patterns: str | tuple[str, ...], *commands: Command) -> bool:
    texts = (patterns,) if isinstance(patterns, str) else patterns
    rules = [parse(Rule(text)) for text in texts]
    return bool(covering(rules, Script(commands), "…", WORKSPACE, protected))


NPM = command("npm", "test")
GLOB = Origin.GLOB
TO_OUT = (Redirect(">", Word("out/log")),)

COVERED: list[tuple[str | tuple[str, ...], tuple[Command, ...]]] = [
    ("bash(rm 'a b')", (command("rm", "a b"),)),
    ("bash(echo *)", (command("echo", "'a'"),)),
    ("bash(npm test)", (NPM,)),
    ("bash(npm test *)", (NPM,)),
    ("bash(npm test:*)", (command("npm", "test", "-v"),)),
    ("bash(npm test)", (command("/usr/bin/npm", "test"),)),
    (("bash(npm test)", "bash(ls *)"), (NPM, command("ls", "src"))),
    ("bash(npm test)", (command("npm", "test", assignments=(variable("CI"),)),)),
    ("bash(npm test)", (command("npm", "test", environment=(variable("LC_ALL", "C"),)),)),
    ("bash(npm test)", (command(assignments=(variable("CI"),)), NPM)),
    ("bash(npm test)", (command("time", "npm", "test", transparent=True), NPM)),
    ("bash(npm test)", (command("npm", "test", redirects=(Redirect(">&", Word("1"), "2"),)),)),
    ("bash(npm test)", (command("npm", "test", redirects=(Redirect(">", Word("/dev/null")),)),)),
    ("bash(npm test > out/*)", (command("npm", "test", redirects=TO_OUT),)),
    ("bash(prettier --write *)", (command("prettier", "--write", Word("src/*.js", GLOB)),)),
    ("bash(git commit -m *)", (command("git", "commit", "-m", "two words"),)),
    ('bash(git commit -m "two words")', (command("git", "commit", "-m", "two words"),)),
    ("bash(git *)", (command("git", "switch", "-c", "new"),)),
    ("bash(git -c *)", (command("git", "-c", "a=b", "log"),)),
    ("bash(./gradlew test)", (command("./gradlew", "test"),)),
    ("bash(cat *)", (command("cat", ".git/config"),)),
    ("bash(cp *)", (command("cp", "a", "b"),)),
    ("bash(rm build/*)", (command("rm", "build/x"),)),
    ("bash(git add *)", (command("git", "add", "/w/src/a.py"),)),
    ("bash(cat /var/log/*)", (command("cat", "/var/log/syslog"),)),
    ("bash(ls ../*)", (command("ls", "../x"),)),
    ("bash(git clone *)", (command("git", "clone", "https://a.b/c"),)),
    ("bash(npm test *)", (command("npm", "test", "--log=/dev/null"),)),
    ("bash(git *)", (command("git", "cherry-pick", "-x", "a"),)),
    ("bash(git rebase -x *)", (command("git", "rebase", "-x", "make"),)),
    (
        ("bash(cd *)", "bash(npm test)"),
        (command("cd", "sub"), command("npm", "test", cwd="/w/sub")),
    ),
    (
        ("bash(cd *)", "bash(npm test)"),
        (command("cd", "sub", via=("sh",)), command("npm", "test", cwd="/w/sub", via=("sh",))),
    ),
]

NOT_COVERED: list[tuple[str | tuple[str, ...], tuple[Command, ...]]] = [
    ("bash(rm 'a b')", (command("rm", "'a", "b'"),)),
    ('bash(rm "a b c")', (command("rm", '"a', "b", 'c"'),)),
    ("bash(deploy '')", (command("deploy", "''"),)),
    ("bash(npm test)", ()),
    ("bash(npm test)", (command(assignments=(variable("CI"),)),)),
    ("bash(npm test)", (NPM, command("rm", "x"))),
    ("bash(npm test)", (command("npm", "test", "-v"),)),
    ("bash(npm test)", (command("NPM", "test"),)),
    ("bash(npm test:*)", (command("npm", "test:unit"),)),
    ("bash(npm test)", (command("/tmp/npm", "test"),)),
    ("bash(npm test)", (command("./npm", "test"),)),
    ("bash(echo *)", (command("echo", Word(HOLE, Origin.UNKNOWN)),)),
    ("bash(echo *)", (command("echo", Word(HOLE, Origin.DERIVED)),)),
    ("bash(echo *)", (command("echo", Word("a b", splits=True)),)),
    ("bash(rm *)", (command("rm", Word("*", GLOB)),)),
    ("bash(rm *)", (command("rm", Word("src/../*", GLOB)),)),
    ("bash(rm *)", (command("rm", Word("/etc/*", GLOB)),)),
    ("bash(rm src/?)", (command("rm", Word("src/*", GLOB)),)),
    ("bash(rm *)", (command("rm", Word("src/*", GLOB), cwd=None),)),
    ("bash(cp x *)", (command("cp", "x", Word("./*.md", GLOB)),)),
    ("bash(npm test)", (command("npm", "test", assignments=(variable("PATH"),)),)),
    ("bash(npm test)", (command("npm", "test", environment=(variable("NODE_OPTIONS"),)),)),
    ("bash(npm test)", (command("npm", "test", assignments=(variable("CI", HOLE, GLOB),)),)),
    ("bash(npm test)", (command(assignments=(variable("PATH"),)), NPM)),
    ("bash(npm test)", (command("npm", "test", elevated=True),)),
    ("bash(npm test)", (command("npm", "test", remote=True),)),
    ("bash(npm test)", (command("npm", "test", via=("xargs",)),)),
    ("bash(npm test*)", (command("npm", "test", redirects=TO_OUT),)),
    ("bash(npm test > out/*)", (NPM,)),
    ("bash(npm test > other/*)", (command("npm", "test", redirects=TO_OUT),)),
    ("bash(npm test >> out/*)", (command("npm", "test", redirects=TO_OUT),)),
    ("bash(npm test > *)", (command("npm", "test", redirects=(Redirect(">", Word(".git/x")),)),)),
    ("bash(echo > *)", (command("echo", redirects=(Redirect(">", Word("../x")),)),)),
    ("bash(cat *)", (command("cat", redirects=(Redirect("<<", Word("text")),)),)),
    ("bash(npm test)", (NPM, command(redirects=(Redirect(">", Word("x")),)))),
    ("bash(npm test)", (command("time", "x", transparent=True, redirects=TO_OUT), NPM)),
    ("bash(npm test)", (command("env", "PATH=.", "npm", transparent=True), NPM)),
    ("bash(cp *)", (command("cp", "x", ".git/hooks/post-commit"),)),
    ("bash(tool *)", (command("tool", "--out=.git/config"),)),
    ("bash(tool *)", (command("tool", "x", cwd=None),)),
    ("bash(git *)", (command("git", "-c", "core.pager=x", "log"),)),
    ("bash(git *)", (command("git", "-C", "x", "-ccore.pager=x", "log"),)),
    ("bash(git *)", (command("git", "config", "core.pager", "x"),)),
    ("bash(git fetch *)", (command("git", "fetch", "--upload-p=x", "y"),)),
    ("bash(rm a b)", (command("rm", "a b"),)),
    ("bash(./gradlew *)", (command("./gradlew", "test", cwd="/w/sub"),)),
    ("bash(./gr* test)", (command("./gradlew", "test"),)),
    ("bash(../tool test)", (command("../tool", "test"),)),
    ("bash(npm test*)", (command("npm", "test", cwd="/tmp/evil", via=("env",)),)),
    ("bash(npm test*)", (command("npm", "test", cwd="/w/sub", via=("env",)),)),
    ("bash(npm test*)", (command("npm", "test", cwd="/tmp/evil"),)),
    ("bash(npm test*)", (command("npm", "test", cwd="/W/sub"),)),
    ("bash(git *)", (command("git", "difftool", "-x", "./evil"),)),
    ("bash(git difftool *)", (command("git", "difftool", "-x", "./evil"),)),
    ("bash(git difftool *)", (command("git", "difftool", "-yx", "./evil"),)),
    ("bash(git difftool *)", (command("git", "difftool", "--extcmd=./evil"),)),
    ("bash(git *)", (command("git", "mergetool"),)),
    ("bash(git *)", (command("git", "bisect", "run", "./evil"),)),
    ("bash(git *)", (command("git", "rebase", "-x", "./evil"),)),
    ("bash(git *)", (command("git", "rebase", "-ix", "./evil"),)),
    ("bash(git *)", (command("git", "grep", "-O./evil", "x"),)),
    ("bash(git *)", (command("git", "fetch", "ext::./evil"),)),
    ("bash(rm build/*)", (command("rm", "build/../../x"),)),
    ("bash(rm build/*)", (command("rm", "build/x", "/home/u/y"),)),
    ("bash(rm build/*)", (command("rm", "build/x", "~root/y"),)),
    ("bash(rm build/*)", (command("rm", "build/x", "/w/src"),)),
    ("bash(rm *)", (command("rm", "/etc/x"),)),
    ("bash(rm *)", (command("rm", "/w/../x"),)),
    ("bash(cat /var/.*)", (command("cat", "/var/../etc/x"),)),
    ("bash(ls ../*)", (command("ls", "../../x"),)),
    ("bash(tool *)", (command("tool", "--out=/etc/x"),)),
    ("bash(tool *)", (command("tool", "-o../x"),)),
    ("bash(tool *)", (command("tool", "file:///etc/x"),)),
]


@each_row("patterns, commands", COVERED)
def test_a_script_is_covered_when_every_command_is(
    patterns: str | tuple[str, ...], commands: tuple[Command, ...]
) -> None:
    assert covered(patterns, *commands)


@each_row("patterns, commands", NOT_COVERED)
def test_anything_left_over_or_unknown_leaves_the_script_uncovered(
    patterns: str | tuple[str, ...], commands: tuple[Command, ...]
) -> None:
    assert not covered(patterns, *commands)


def test_an_incomplete_or_oversized_script_is_never_covered() -> None:
    rules = [parse(Rule("bash(npm test)"))]
    whole, broken = Script((NPM,)), Script((NPM,), ("unread",))

    assert covering(rules, whole, "npm test", WORKSPACE, protected)
    assert not covering(rules, broken, "npm test", WORKSPACE, protected)
    assert not covering(rules, whole, "npm test" + " " * 1_048_576, WORKSPACE, protected)
