"""What random scripts are made of: words, names, builtins with their options, settings."""

PAYLOADS = ("$(touch pwned)", "`touch pwned`", "$(>pwned)", "<(touch pwned)")


def _words(table: str) -> tuple[str, ...]:
    """A table is split at blanks; `·` stands for one inside a word."""
    return tuple(word.replace("·", " ") for word in table.split())


HOSTILE = (
    *(f"'a[{payload}]'" for payload in PAYLOADS),
    *(f"'a[{payload}]=1'" for payload in PAYLOADS[:3]),
    *(f"'({payload})'" for payload in PAYLOADS),
    *(f"'{payload}'" for payload in PAYLOADS),
    *_words(
        r"""'([x]=$(touch·pwned))' 'a[b[$(touch·pwned)]]' 'x=a[$(touch·pwned)]' 'touch·pwned'
        'RANDOM[$(touch·pwned)]' touch·pwned touch·pwned 'x;touch·pwned' "a[\$(touch·pwned)]"
        $'a[\x24(touch·pwned)]' a[\$\(touch\·pwned\)] "$evil" $evil ${evil} "${evil:-x}" %n -x -p -v
        '-v' -np "$(cat·f)" $(cat·f) $(<f)"""
    ),
)
OFTEN = _words(
    """'a[$(touch·pwned)]' 'a[$(>pwned)]' '($(touch·pwned))' touch·pwned $evil "$evil"
    '$(touch·pwned)'"""
)
PLAIN = _words(
    """a b f src file.txt -l 1 0 2 42 -1 x=1 'two·words' README.md . .. / - -- 0x1f 08 a.b @ %1 %%
    +1 ''"""
)
TAME = PLAIN + _words(
    """"$x" $x ${x} "${x:-d}" ${x:+d} ${#x} ${x%.*} "${x//a/b}" ${x:0:2} ${x:n:1} ${arr[0]}
    "${arr[@]}" ${arr[n]} ${arr[$n]} ${!x} ${!arr[@]} ${x@Q} ${x@P} $((1+2)) $((n+1)) $((x)) $[1+1]
    $? $! $$ $# "$@" $1 $RANDOM $OPTIND $((RANDOM)) $((OPTIND+SECONDS)) $(pwd) "$(date)"
    $(git·rev-parse·HEAD) `date` $(echo·a) ~ *
    $x/$n.y x$x-$y.$n "$x··$y" "$x·$(pwd)·${n}" $'\\x1b[m' $'\\xc2\\x9b' $((n*20))
    $(($(date·+%s)+1))
    $(($(wc·-l·<·f)/2)) $(($(stat·-c·%s·f)-$(date·+%s))) $((n$(date·+%s))) $(($(cat·f)+1))
    *.py {a,b} [ab]"""
)
SETTINGS = (
    *("%",) * 4, "x=(1); %", "ls f & %", "set -- a b; %", "fn() { %; }; fn a", "n=1; %",
    "declare -a x; %", "ls f | { %; }", "( % )", "for i in 1 2; do %; done", "%; echo $x",
    "if true; then %; fi", "echo $(%)",
)  # fmt: skip
"""Where a probe stands: `%` is its place."""

PLAIN_NAMES = (
    "x",
    "y",
    "n",
    "i",
    "foo",
    "line",
    "_",
    "arr",
    "FOO",
    "OUT",
    "NAME",
    "REPLY",
    "myVar",
    "status",
    "SP",
)
SPECIAL_NAMES = (
    """RANDOM SRANDOM OPTIND OPTERR OPTARG HISTCMD SECONDS LINENO BASHPID BASH_ARGV0 BASH_ENV ENV
    BASH_COMPAT BASH_XTRACEFD BASH_ALIASES BASH_CMDS BASH_SUBSHELL DIRSTACK GROUPS FUNCNAME FUNCNEST
    EPOCHSECONDS EPOCHREALTIME UID EUID PPID SHELLOPTS BASHOPTS SHLVL PS0 PS1 PS4 PROMPT_COMMAND IFS
    PATH HOME CDPATH PWD OLDPWD GLOBIGNORE EXECIGNORE FIGNORE HISTFILE HISTSIZE HISTFILESIZE
    HISTCONTROL TMOUT TMPDIR MAILCHECK MAILPATH COLUMNS LINES COMP_WORDBREAKS COPROC MAPFILE
    PIPESTATUS INPUTRC LANG LC_ALL TIMEFORMAT IGNOREEOF auto_resume histchars POSIXLY_CORRECT
    PROMPT_DIRTRIM CHILD_MAX BASH_REMATCH LD_PRELOAD GIT_PAGER PAGER EDITOR path status"""
).split()

# Letters of options, and what may follow: N name, A assignment, W word, D digit, T text or script.
BUILTINS = {
    ".": ("", "WW"), ":": ("", "WWW"), "[": ("", ""), "alias": ("p", "A"), "bg": ("", "W"),
    "bind": ("lpsvPSVXmfqurx", "T"), "break": ("", "D"), "builtin": ("", "WW"),
    "caller": ("", "D"), "cd": ("LPe@", "W"), "command": ("pvV", "WW"),
    "compgen": ("abcdefgjksuvoAGWFCXPSV", "TW"), "complete": ("abcdefgjksuvprDEIoAGWFCXPS", "TW"),
    "compopt": ("oDEI", "W"), "continue": ("", "D"), "declare": ("aAfFgiIlnrtuxp", "A"),
    "dirs": ("clpv", "W"), "disown": ("ahr", "W"), "echo": ("neE", "WWW"),
    "enable": ("adfnps", "W"), "eval": ("", "T"), "exec": ("cla", "WW"), "exit": ("", "D"),
    "export": ("fnpaA", "A"), "false": ("", "W"), "fc": ("enlrs", "W"), "fg": ("", "W"),
    "getopts": ("", "WNW"), "hash": ("lrpdt", "W"), "help": ("dms", "W"),
    "history": ("cdanrwps", "W"), "jobs": ("lnprsxx", "WWW"), "kill": ("slnL", "W"),
    "let": ("", "E"), "local": ("aAinrux", "A"), "logout": ("", "D"),
    "mapfile": ("dnOstuCc", "N"), "popd": ("n", "W"), "printf": ("v", "NTW"),
    "pushd": ("n", "W"), "pwd": ("LP", "W"), "read": ("aerdinNptus", "NN"),
    "readarray": ("dnOstuCc", "N"), "readonly": ("aAfp", "A"), "return": ("", "D"),
    "set": ("abefhkmnoptuvxBCEHPT", "WW"), "shift": ("", "D"), "shopt": ("pqsuo", "W"),
    "source": ("", "W"), "suspend": ("f", ""), "test": ("", ""), "times": ("", ""),
    "trap": ("lp", "TS"), "true": ("", "W"), "type": ("afptP", "W"),
    "typeset": ("aAfFgilnrtuxp", "A"), "ulimit": ("SHabcdefiklmnpqrstuvxPRT", "D"),
    "umask": ("pS", "D"), "unalias": ("a", "W"), "unset": ("fvn", "N"), "wait": ("fnp", "NW"),
}  # fmt: skip
TAME_BUILTINS = (
    "echo printf cd pwd read test [ export declare local unset set shift type wait jobs".split()
)
SHOPTS = "extglob nullglob globstar lastpipe expand_aliases autocd assoc_expand_once".split()
COMPARES = "-eq -ne -lt -gt = != == =~ -nt < >".split()
ASKS = "-v -R -t -f -n -z -o -d -e".split()


MAKES = """N=V|N=V|read N < f|printf -v N %s V|for N in V; do :; done|N=$(cat f)|N=5|N=(V)|((N=1))
mapfile N < f|read -a N < f|declare -a N|declare -i N|declare -A N|declare -n N|readonly N
: ${N:=V}|declare N=V|export N=V|time read N < f|jobs -x read N < f|command read N < f
builtin printf -v N %s V|getopts a: N -a V|eval read N|read N < f & wait|wait -np N
if read N; then :; fi|{ read N; } < f|(read N < f)|f() { read N; }; f|false; N=V|! N=V|N=1 :
N=$(date +%s)|N=$(wc -l < f)|N=$(grep -c a f)|N=$(grep -c a f b)
N=$(grep -c a $y)|N=$(stat -c %s f)|N=$(stat -c %n f)|N=$(seq 1 3)|N=$(seq -f V 1)
N=$(git rev-list --count HEAD)
N=$(date V)|N=$(find . -print -exec stat -c %s {} \\;)|N=$(date +%s; cat f)|N=$(head -1 f)
N=$(date +%s)V
for N in $(seq 1 3); do :; done|for N in $(seq 1 3) V; do :; done|N=$(nproc) n=$N
time N=V read x < f
time N=V|time N=V ls f|time N=V eval x=1|N=/usr/bin/printf|N=/usr/bin/true
N=$'\\x1b[m'
f() { N=$(date +%s); }; f
wc() { cat f; }; N=$(wc -l < f)|N=$(date +%s); date() { cat f; }
: $((N=1))|unset N|mapfile -t N"""
USES = """echo $((N))|echo $((N+1))|echo $(($N*2))|echo $((N$(date +%s)))|echo $(($(date +%s)N))
[[ $N -gt $(wc -l < f) ]]
$N x|"$N" V|${N} a b|$N/x.y|for i in 1 2; do $N x; done|for i in 1 2; do echo $((N)); N=V; done
f() { $N a; }; f
echo ${arr[N]}|echo ${N@P}|echo ${!N}|[[ $N -eq 1 ]]|[ $N -eq 1 ]|test -v $N
declare x="$N"|declare N="$N"|local x="$N"|echo ${x:N:1}|printf %d $N|((N++))|unset $N|echo ${N}
read $N < f|: ${N:=1}|exit $N|wait $N|shift $N|let N|set -- $N|N=V"""
"""How a variable N gets a value V, and how bash may evaluate it then."""
