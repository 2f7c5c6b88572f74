"""Allow rules that amount to "run any code": not applied while automode decides, and said so."""

import re
from dataclasses import dataclass

from automode.core.errors import BadPattern
from automode.rules.pattern import Pattern, Rule, could_match, matches, parse
from automode.rules.shell_match import single_spaced
from automode.shell.script import HOLE

_VERSION = re.compile(r"(?<=[a-z])[\d.]+$")
_SCRIPT_FIRST = ("-u", "-B", "-I", "-O", "-m", "-s", "-S", "--", "-q", "-s", "--silent", "--frozen")
_READS_STDIN = "runs whatever it is given, also on its standard input"
_RUNS_CODE = "runs whatever code it is given"


@dataclass(frozen=True, slots=True)
class Runner:
    """The words that start other code. A rule must name, without a wildcard, what comes next."""

    words: str
    why: str = _RUNS_CODE
    bare: bool = False  # dangerous without any further word too
    spelled: bool = False  # only for rules that write the words out: `git *` is not `git -c *`


def _runners(names: str, why: str = _RUNS_CODE, *, bare: bool = False) -> tuple[Runner, ...]:
    return tuple(Runner(name.strip(), why, bare) for name in names.split(","))


RUNNERS: tuple[Runner, ...] = (
    *_runners("bash,sh,zsh,dash,ksh,fish,csh,tcsh,pwsh,powershell,cmd", _READS_STDIN, bare=True),
    *_runners("python,python2,python3,pypy,pypy3,ipython,node,nodejs", _READS_STDIN, bare=True),
    *_runners("ruby,irb,perl,php,lua,luajit,Rscript,R,julia,groovy,scala", _READS_STDIN, bare=True),
    *_runners("tsx,ts-node,osascript,expect,tclsh,guile,racket", _READS_STDIN, bare=True),
    *_runners("deno run,deno eval,deno task,deno repl,bun run,bun x,bun,bunx,npx,pnpx"),
    *_runners("npm run,npm run-script,npm exec,npm x,npm start,npm init,npm create"),
    *_runners("yarn run,yarn dlx,yarn exec,yarn node,pnpm run,pnpm exec,pnpm dlx,pnpm create"),
    *_runners("uvx,uv run,uv tool run,pipx run,poetry run,pdm run,hatch run,rye run,pixi run"),
    *_runners("conda run,mamba run,bundle exec,rake,bazel run,nix run,nix-shell,nix shell"),
    *_runners("make,gmake,just,task,mage,ninja,gradle,./gradlew,mvn,./mvnw,ant"),
    *_runners("cargo run,go run,go generate,go tool,dotnet run,swift run,zig run,java,jshell"),
    *_runners("eval,exec,source,.,command,builtin,env,xargs,parallel,watch,time,timeout,nohup"),
    *_runners("nice,setsid,stdbuf,script,entr,at,batch,trap,strace,gdb,unshare,chroot,nsenter"),
    *_runners("sudo,doas,su,runuser,pkexec", "runs any command as another user", bare=True),
    *_runners("ssh,mosh", "runs any command on another machine"),
    *_runners("docker run,docker exec,docker compose run,docker compose exec,docker build"),
    *_runners("podman run,podman exec,nerdctl run,nerdctl exec,lxc exec,kubectl exec,kubectl run"),
    *_runners("awk,gawk,mawk,nawk,sed", "can start any program from its script"),
    *_runners("vim,vi,nvim,emacs,ed,ex", "can start any program from its command line", bare=True),
    Runner("git bisect run", spelled=True),
    Runner("git submodule foreach", spelled=True),
    Runner("git filter-branch", spelled=True),
    Runner("git config", "settings such as `core.pager` start any program", spelled=True),
    Runner("git -c", "settings such as `core.pager` start any program", spelled=True),
)


def broad(pattern: Pattern) -> str | None:
    """Why an allow rule is set aside, in a few words; None when it is narrow enough."""
    tool, argument = pattern.tool, pattern.argument
    if matches(tool, "agent"):
        return "it would let the agent hand any work to another agent"
    if "*" in tool:
        server = tool.split("__")[1] if tool.startswith("mcp__") and tool.count("__") > 1 else "*"
        return "it names no tool and no server" if "*" in server else None
    if tool in ("powershell", "cmd"):
        exact = argument is not None and "*" not in argument and "?" not in argument
        return None if exact else f"`{tool}` commands are allowed only word for word"
    return _broad_shell(argument) if tool == "bash" else None


def notice(rule: Rule) -> str | None:
    """The sentence for `status` and the start-up notice; None for a rule that stays."""
    try:
        why = broad(parse(rule))
    except BadPattern:
        return None
    return f"allow rule {rule.shown} is set aside: {why}; name the exact command" if why else None


def _broad_shell(argument: str | None) -> str | None:
    if argument is None:
        return "it would let any command run"
    glob = single_spaced(argument)
    words = (f"{glob[:-2]} *" if glob.endswith(":*") else glob).split(" ")
    words[0] = _bare(words[0])
    for runner in RUNNERS:
        if _reaches(words, runner):
            return f"`{runner.words}` {runner.why}"
    return "it names no program" if _wild(words[0]) and words[0][0] in "*?" else None


def _bare(program: str) -> str:
    name = program if program.startswith("./") else program.rpartition("/")[2]
    return _VERSION.sub("", name) or name


def _wild(word: str) -> bool:
    return "*" in word or "?" in word


def _reaches(words: list[str], runner: Runner) -> bool:
    """Whether the rule covers this runner without saying what it may run."""
    for at, expected in enumerate(runner.words.split(" ")):
        if at >= len(words):
            return False
        if _wild(words[at]):
            return not runner.spelled and _could_start(words[at], expected)
        if words[at] != expected:
            return False
    rest = words[len(runner.words.split(" ")) :]
    while rest and rest[0] in _SCRIPT_FIRST:
        rest = rest[1:]
    if not rest:
        return runner.bare
    unsure = _wild(rest[0]) or rest[0].startswith("-")
    return unsure and any(_wild(word) for word in rest)


def _could_start(glob: str, word: str) -> bool:
    """Whether a pattern word with wildcards covers a text that begins with `word`."""
    return could_match(glob, word) or could_match(glob, f"{word} {HOLE}")
