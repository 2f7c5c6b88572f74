"""Scripts and what they are read as: commands, words, folders, redirects, gaps."""

# ruff: noqa: E501 - a row of a table is one script
import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.facts.reader import ShellReader
from automode.shell.script import HOLE, Command, Script, Word
from tests.rows import each_row

WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))


def read(script: str) -> Script:
    return ShellReader().full(script, WORKSPACE)


def shown(word: Word) -> str:
    """A word as tables write it: `…` for what is not known, `+` behind what may be several."""
    return word.text.replace(HOLE, "…") + ("+" if word.splits else "")


def run(script: str) -> list[str]:
    """The commands with a program in them, wrappers left out."""
    listed = [c for c in read(script).commands if c.words and not c.transparent]
    return [" ".join(shown(word) for word in command.words) for command in listed]


def last(script: str) -> Command:
    return read(script).commands[-1]


WORDS = [
    ("ls -l  'a b' \"c d\" e\\ f", ["ls -l a b c d e f"]),
    ("r''m -r\"f\" x", ["rm -rf x"]),
    ("echo $'a\\tb'", ["echo a\tb"]),
    ("a; b && c || d | e & f", ["a", "b", "c", "d", "e", "f"]),
    ("a\nb\n# c\nd # e", ["a", "b", "d"]),
    ("(a; { b; }) | c", ["a", "b", "c"]),
    ("if a; then b; elif c; then d; else e; fi", ["a", "c", "b", "d", "e"]),
    ("case $x in $(a)) b;; *) c;; esac", ["a", "b", "c"]),
    ("while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]),
    ("echo $(a $(b)) `c` <(d) >(e)", ["b", "a …+", "c", "d", "e", "echo …+ …+ /dev/fd/… /dev/fd/…"]),
    ("echo \"${x:-$(a)}\" $((1 + 1))", ["a", "echo … …"]),
    ("x=$(a) b", ["a", "b"]),
    ("a=(x $(b)); c", ["b", "c"]),
    ("cat <<E\n$(a)\nE", ["a", "cat"]),
    ("cat <<'E'\n$(a)\nE", ["cat"]),
    ("time a", ["a"]),
    ("! a | b", ["a", "b"]),
    ("echo {a,b}{1..2} x{,y}", ["echo a1 a2 b1 b2 x xy"]),
    ("echo {,rm} ''", ["echo rm "]),
    ("echo {a} {a,b", ["echo {a} {a,b"]),
    ("echo ~ ~/x x=~/y --f=~/z a:~/b", ["echo /home/u /home/u/x x=/home/u/y --f=~/z a:~/b"]),
    ("echo ~'/x' \\~ '~'", ["echo ~/x ~ ~"]),
    ("f() { a; }; f", ["a"]),
]  # fmt: skip


@each_row("script, expected", WORDS)
def test_a_script_is_read_as_its_commands(script: str, expected: list[str]) -> None:
    assert run(script) == expected


VARIABLES = [
    ("x=1; a $x", "a 1"),
    ("x='p q'; a $x", "a p q"),
    ("x='p q'; a \"$x\"", "a p q"),
    ("x='p q'; a \"1 2\"$x", "a 1 2p q"),
    ("x=; a $x b", "a b"),
    ('x=; a "$x" b', "a  b"),
    ("x=1; x+=2; a $x", "a 12"),
    ("x=~/y:~/z; a $x", "a /home/u/y:/home/u/z"),
    ("export x=~/y; a $x", "a /home/u/y"),
    ("y='p q'; export x=$y; a \"$x\"", "a p q"),
    ("a $x", "a …+"),
    ('a "$x"', "a …"),
    ('a ./"$@"', "a ./…+"),
    ('a "${z[@]}"', "a …+"),
    ("z=(p q); a ${z[0]}", "a …+"),
    ("x=1; x[1]=2; a $x", "a …+"),
    ("true && x=1; a $x", "a …+"),
    ("true && x=1 && a $x", "a 1"),
    ("true || x=1; a $x", "a …+"),
    ("if b; then x=1; fi; a $x", "a …+"),
    ("x=1; (x=2); a $x", "a 1"),
    ("x=1; x=2 | b; a $x", "a 1"),
    ("x=1; x=2 & a $x", "a 1"),
    ("x=1; { x=2; }; a $x", "a 2"),
    ("x=1; x=2 b; a $x", "a 1"),
    ("x=1; read x; a $x", "a …+"),
    ("x=1; printf -vx %s 2; a $x", "a …+"),
    ("x=1; unset x; a $x", "a …+"),
    ("x=1; f() { x=2; }; f; a $x", "a …+"),
    ("x=1; f() { x=2; }; a $x", "a 1"),
    ("x=1; eval x=2; a $x", "a 2"),
    ("x=1; : ${x:=2}; a $x", "a 1"),
    ("x=1; for i in 1 2; do a $x; eval x=2; done", "a …+"),
    ("readonly x=1; x=2; a $x", "a …+"),
    ("x=1; bash -c 'a $x'", "a …+"),
    ("export x=1; bash -c 'a $x'", "a 1"),
    ("x=1; x=2 bash -c 'a $x'", "a 2"),
    ("env x=2 bash -c 'a $x'", "a 2"),
    ("bash -c 'a $0 $1' p q", "a p q"),
    ("bash -c 'a $1' p $x q", "a …+"),
    ("bash -c 'set -- z; a $1' p q", "a …+"),
    ("bash -c 'shift; a $1' p q", "a …+"),
    ("bash -c 'f() { a $1; }; f' p q", "a …+"),
    ("a $(echo p) \"$(printf '%s-%s' p q)\"", "a p p-q"),
    ("a $(printf %b 'p\\nq')", "a p q"),
    ("a $(echo p; echo q)", "a …+"),
    ("f() { echo p; }; a $(f)", "a …+"),
    ("a $HOME $PWD", "a /home/u /w"),
    ("cd sub; a $PWD ~+", "a /w/sub /w/sub"),
    ("UID=1; a $UID $?", "a …+ …+"),
    ("local d=build; a $d", "a …+"),
    ('local d=build; a "$d"', "a …"),
    ("f() { local d=build; a $d; }", "a build"),
    ("f() { bash -c 'local d=build; a \"$d\"'; }", "a …"),
]


@each_row("script, expected", VARIABLES)
def test_variables_are_known_exactly_where_they_are_certain(script: str, expected: str) -> None:
    assert [line for line in run(script) if line.startswith("a")][-1] == expected


FOLDERS = [
    ("cd sub; a", "/w/sub"),
    ("cd sub && a", "/w/sub"),
    ("cd /x/../y; a", "/y"),
    ("cd; a", "/home/u"),
    ("cd -; a", None),
    ("cd $x; a", None),
    ("(cd sub); a", "/w"),
    ("cd sub | b; a", "/w"),
    ("cd sub & a", "/w"),
    ("cd sub || a", "/w"),
    ("cd sub || exit 1; a", "/w/sub"),
    ("cd sub || b; a", None),
    ("cd sub && b || a", None),
    ("! cd sub || a", None),
    ("{ cd sub; false; } || a", None),
    ("if cd sub; then false; fi || a", None),
    ("eval 'cd sub; false' || a", None),
    ("f() { cd sub; false; }; f || a", None),
    ("command cd sub || a", None),
    ("case x in x) cd sub; false;; esac || a", None),
    ("{ cd sub; false; }; a", "/w/sub"),
    ("(cd sub; false) || a", "/w"),
    ("true && cd sub; a", None),
    ("true && cd sub && a", "/w/sub"),
    ("! cd sub && a", None),
    ("if b; then cd sub; fi; a", None),
    ("if cd sub; then b; else a; fi", None),
    ("while b; do a; cd ..; done", None),
    ("f() { a; }; cd sub; f", None),
    ("f() { cd sub; }; f; a", None),
    ("cd() { :; }; cd sub; a", "/w"),
    ("./cd sub; a", "/w"),
    ("pushd sub; a", "/w/sub"),
    ("pushd sub; popd; a", None),
    ("eval 'cd sub'; a", "/w/sub"),
    ("bash -c 'cd sub'; a", "/w"),
    ("env -C sub a", "/w/sub"),
    ("time cd sub; a", None),
]


@each_row("script, folder", FOLDERS)
def test_the_folder_is_known_exactly_where_it_is_certain(script: str, folder: str | None) -> None:
    found = [c for c in read(script).commands if c.words and c.words[0].text == "a"]
    assert found[-1].cwd == folder


WRAPPERS = [
    *("sudo -u x A=1 rm y", "doas rm y", "env -i A=1 rm y", "nice -n 5 rm y", "ionice -c 3 rm y"),
    *("nohup rm y", "setsid rm y", "stdbuf -oL rm y", "timeout -k 5 10 rm y", "time -p rm y"),
    *("command rm y", "builtin rm y", "exec rm y", "busybox rm y", "eval 'rm y'", "eval rm y"),
    *("watch -n 1 rm y", "bash -c 'rm y'", "sh -ec 'rm y'", "bash <<< 'rm y'", "echo rm y | sh"),
    *("cat <<'E' | bash\nrm y\nE", "bash <<'E'\nrm y\nE", "printf '%s\\n' 'rm y' | bash -s"),
    *("echo cm0geQo= | base64 -d | sh", "trap 'rm y' EXIT", "find . -exec rm y \\;"),
    *("find . -execdir rm y +", "xargs rm y", "xargs -I@ rm y", "fd -x rm y", "ssh host rm y"),
    *("parallel rm y", "docker exec c rm y", "kubectl exec p -- rm y", "docker run i rm y"),
    *("su -c 'rm y'", "script -c 'rm y' out", "flock f rm y", "flock f -c 'rm y'", "strace rm y"),
    *("uv run rm y", "npx rm y", "git rebase -x 'rm y' main", "git submodule foreach rm y"),
    *(
        "chroot / rm y",
        "unshare -r rm y",
        "systemd-run rm y",
        "caffeinate -i rm y",
        "env -S 'rm y'",
    ),
    *("bash -c \"bash -c 'sudo env rm y'\"", "echo $(bash -c 'rm y')", "coproc rm y"),
]


@each_row("script", WRAPPERS)
def test_the_command_inside_a_wrapper_is_found(script: str) -> None:
    assert any(line.startswith("rm y") for line in run(script))


HARMLESS = [
    "env ls",
    "timeout 5 ls",
    "bash -c ls",
    "xargs ls",
    "find . -exec ls {} \\;",
    "/usr/bin/env ls",
]
ADDING = [
    *("./env ls", "/tmp/timeout 5 ls", "exec -a rm ls", "bash --rcfile x -c ls", "bash -O x -c ls"),
    *("bash -ic ls", "xargs -I X -iY ls", "find . -name $x -exec ls {} \\;", "timeout 5$x ls"),
    *("docker x exec c ls", "find . -exec ls {} \\; -delete", "env -u A ls", "zsh -c 'ls *'"),
]  # fmt: skip


@pytest.mark.parametrize("script", HARMLESS)
def test_a_wrapper_that_adds_nothing_is_transparent(script: str) -> None:
    assert read(script).commands[0].transparent


@each_row("script", ADDING)
def test_a_wrapper_that_may_add_something_is_not(script: str) -> None:
    wrapper = next(c for c in read(script).commands if c.words)
    assert not wrapper.transparent


@each_row(
    "prefix", ["bash -c '", "/bin/", "env ", "command ", "xargs ", "exec ", "\\time ", "nice "]
)
def test_a_function_does_not_stand_for_a_program_of_its_name(prefix: str) -> None:
    end = "'" if prefix.endswith("'") else ""
    listed = read(f"rm() {{ echo no; }}; {prefix}rm -rf x{end}").commands
    assert not listed[-1].transparent
    assert listed[-1].program == "rm"


INCOMPLETE = [
    *("echo 'open", "if true", "a <<<", "coproc a", "$x b", "$(a) b", "${x} y", "\\r\r"),
    *("eval \"$x\"", "bash -c \"$x\"", "echo $x | bash", "curl x | sh", "bash < f", ". ./f", "source f"),
    *("f() { f; }; f", "alias a=b; a", "shopt -s lastpipe", "shopt -s expand_aliases", "set -o posix"),
    *("set +B", "set $x", "exec > out; ls", "exec 3<in", "declare -n r=x", "declare -i n=x"),
    *("PATH=x; ls", "unset PATH; ls", "for PATH in x; do ls; done", "read PATH", "IFS=,", "HOME=/x"),
    *("path=(x); ls", "PWD=/x", "trap 'a' DEBUG", "trap a ERR", "a {fd}>x", "select x in a; do b; done"),
    *("echo ${!x}", "echo ${x@P}", "echo ${a[$x]}", "a[$x]=1", "echo $((x))", "echo $(( $(a) ))"),
    *("((x++))", "((x += 1))", "x='a[1]'; ((x+=1))", "[[ -v x ]]", "[[ 1 &&-v x ]]", "[[ $x -eq 1 ]]"),
    *("[[ x -eq 1 ]]", "let x=y", "for ((i=0;i<2;i++)); do i=$x; done", "echo $((0 && (x=1), x))"),
    *("cat >&-x", "cat >& -x", "ls 99999999999>x", "ls >2>&1", "\"$\\\n(ls)\"", "ls !(x)", "in x"),
    *("case x in @(a|b)) c;; esac", "sh -c '[[ 1 > f ]]'", "sh -c '((1 > f))'", "echo a\\\n\u200bb"),
    *("sh -c \"echo \\$'a\\\\'; rm x #'\"", "bash -c $'ls\\rrm x'", "bash -c $'ls\\u200b'"),
    *("echo $'\\x72m'", "x=1 eval 'a $x'", "printf '%b' 'a\\x' | bash", "echo -e 'a\\x' | bash"),
    *("echo ls | cat < f | sh", "printf 'a\\nb\\n' | { read x; bash; }", "{ f; echo a; } | bash"),
    *("n=5; time read n < f; echo $((n))", "n=5; for i in 1 2; do echo $((n)); jobs -x read n; done"),
    *("OPTARG=5; getopts a: x; echo $((OPTARG))", "n=5; wait -np n; echo $((n))", "n=5; read -an; ((n))"),
    *("for i in 1 2; do declare x=\"$y\"; x=(1); done", "f() { x=(1); }; f; declare x=\"$y\""),
    *("for i in 1 2; do declare x=\"$y\"; command mapfile x; done", "x[0]=1; typeset x=\"$y\""),
    *("while a; do echo b; done | bash", "xargs bash -c", "x=$(a); $x", "cat <<E | bash\n$x\nE"),
]  # fmt: skip


@each_row("script", [s for s in INCOMPLETE if s not in ("xargs bash -c", "let x=y")])
def test_what_cannot_be_known_makes_the_reading_incomplete(script: str) -> None:
    assert not read(script).complete


COMPLETE = [
    *("i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "for ((i=0;i<3;i++)); do echo $i; done"),
    *("i=0; ((i++)); echo $((i * 2))", "[[ -f x && $y == z ]]", "n=3; [[ $n -gt 2 ]]", "echo $((x = 2))"),
    *("set -euo pipefail; ls", "shopt -s globstar nullglob", "trap 'rm -f x' EXIT", "for _ in 1 2; do a; done"),
    *("f() { ls \"$1\"; }; f x", "SECONDS=0; ls", "export X=1; ls", "PAGER=cat git log", "GIT_PAGER=cat; git log"),
    *("ls 2>&1 | tee x", "sh -c 'ls | wc -l'", "echo ls | bash", "x=\"$(git rev-parse HEAD)\"; echo \"$x\""),
]  # fmt: skip


@each_row("script", COMPLETE)
def test_everyday_scripts_are_complete(script: str) -> None:
    assert read(script).gaps == ()


REDIRECTS = [
    ("a > b", [("", ">", "b")]),
    ("a 2>> b < c", [("2", ">>", "b"), ("", "<", "c")]),
    ("a &> b", [("", "&>", "b")]),
    ("a >& b", [("", ">&", "b")]),
    ("a 2>&1", [("2", ">&", "1")]),
    ("a <> b >| c", [("", "<>", "b"), ("", ">|", "c")]),
    ("a <<< 'x y'", [("", "<<<", "x y")]),
    ("a <<-E\n\tx\n\tE", [("", "<<", "x\n")]),
    ("{ a; } > b", [("", ">", "b")]),
    ("(a) > b 2> c", [("", ">", "b"), ("2", ">", "c")]),
    ("for x in 1; do a; done > b", [("", ">", "b")]),
    ("sudo a > b", [("", ">", "b")]),
]


@each_row("script, expected", REDIRECTS)
def test_redirects_reach_every_command_they_hold_for(
    script: str, expected: list[tuple[str, str, str]]
) -> None:
    found = [(r.fd, r.op, r.target.text) for r in last(script).redirects]
    assert found == expected


FED = [
    ("echo x | a", "x\n"),
    ("echo -n x | a", "x"),
    ("printf '%s-%d\\n' p 3 | a", "p-3\n"),
    ("a <<< x", "x\n"),
    ("a <<E\nx\nE", "x\n"),
    ("a <<E 3<<F\nx\nE\ny\nF", "x\n"),
    ("echo x | a < f", None),
    ("echo x | cat | a", "x\n"),
    ("echo x | cat < f | a", None),
    ("echo x > f | a", None),
    ("printf -- x | a", None),
    ("printf %5s x | a", None),
    ("echo $y | a", None),
    ("{ echo x; b; } | a", None),
    ("echo x | { b; a; }", None),
    ("echo x | a $(b)", None),
    ("sh -c 'echo \"x\\ny\" | a'", None),
    ("echo 'eA==!' | base64 -d | a", None),
    ("find . -exec echo x \\; | a", None),
]


@each_row("script, text", FED)
def test_standard_input_is_known_only_when_it_is_certain(script: str, text: str | None) -> None:
    assert last(script).fed == text


def test_loop_values_are_listed_as_assignments() -> None:
    listed = read("for f in a ~/b; do :; done").commands[0]
    assert [a.value.text for a in listed.assignments] == ["a", "/home/u/b"]


def test_a_value_that_grows_without_end_is_given_up() -> None:
    script = "x=aaaaaaaa;" + "x=$x$x;" * 60 + "a $x"
    assert run(script)[-1] == "a …+"


@pytest.mark.parametrize("count", ["99999999999999999999", "9" * 5_000])
def test_huge_ranges_are_unknown(count: str) -> None:
    assert run(f"a {{1..{count}}}") == ["a …"]


ERRORS_PASSED_ON = [
    ("a |& b", "a 2>&1 | b"),
    ("a >x 2>y |& b", "a >x 2>y 2>&1 | b"),
    ("a | b |& c", "a | b 2>&1 | c"),
    ("a && ! b |& c | d", "a && ! b 2>&1 | c | d"),
    ("{ a; b; } |& c", "{ a; b; } 2>&1 | c"),
    ("for f in x; do a; done |& c", "for f in x; do a; done 2>&1 | c"),
]


@pytest.mark.parametrize(("short", "long"), ERRORS_PASSED_ON)
def test_a_pipe_that_passes_errors_on_is_read_as_its_long_form(short: str, long: str) -> None:
    assert read(short) == read(long)
    assert read(short).complete


def test_messages_may_hold_words_that_look_like_options() -> None:
    assert last("git rev-list HEAD | xargs git show").args[-1].plain
    assert not last("git rev-list HEAD |& xargs git show").args[-1].plain


def test_errors_are_passed_on_from_a_command_that_is_fed() -> None:
    first, shell, inner = read("cat <<E |& sh\necho x\nE").commands
    assert [(one.op, one.fd) for one in first.redirects] == [("<<", ""), (">&", "2")]
    assert (shell.program, inner.text) == ("sh", "echo x")
