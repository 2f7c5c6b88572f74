"""Friendlier viewers: bat, delta, fzf, line counters, renderers of Markdown."""

import re
from collections.abc import Mapping

from automode.programs.forms import Mostly, perhaps_several, sole
from automode.programs.rows import Flat
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, runs, writes
from automode.programs.use import unknown as not_known
from automode.shell.options import Spec, arguments

_BAT = Spec(
    flags="AndpPsufS",
    values="lrHmLo",
    long_flags=(
        "--show-all --plain --number --diff --list-themes --list-languages --squeeze-blank "
        "--force-colorization --unbuffered --no-paging --help --version --config-file "
        "--config-dir --cache-dir --diagnostic --no-lessopen --chop-long-lines --no-config"
    ).split(),
    long_values=(
        "--language --line-range --highlight-line --style --theme --color --decorations --tabs "
        "--wrap --paging --terminal-width --file-name --map-syntax --diff-context "
        "--nonprintable-notation --italic-text --squeeze-limit --theme-dark --theme-light --binary "
        "--ignored-suffix --strip-ansi"
    ).split(),
)
_DELTA = Spec(
    flags="sn",
    values="w",
    long_flags=(
        "--color-only --side-by-side --line-numbers --light --dark --no-gitconfig --raw --navigate "
        "--list-languages --list-syntax-themes --show-config --diff-highlight --diff-so-fancy "
        "--keep-plus-minus-markers --help --version --hyperlinks"
    ).split(),
    long_values=(
        "--width",
        "--paging",
        "--syntax-theme",
        "--features",
        "--tabs",
        "--wrap-max-lines",
    ),
)
_CLOC = Spec(
    long_flags=(
        "--json --csv --yaml --xml --md --quiet --by-file --by-file-by-lang --fullpath --hide-rate "
        "--sum-one --sum-reports --version --help --show-lang --show-ext --skip-uniqueness "
        "--no-autogen --3 --by-percent --unicode --follow-links --docstring-as-code"
    ).split(),
    long_values=(
        "--exclude-dir --include-lang --exclude-lang --exclude-ext --include-ext --not-match-d "
        "--not-match-f --match-d --match-f --timeout --progress-rate --max-file-size "
        "--exclude-list-file --list-file --exclude-content --include-content --processes"
    ).split(),
)
_SCC = Spec(
    flags="abcdhlmpuvwz",
    values="fiMnsx",
    long_flags=(
        "--by-file --no-cocomo --no-complexity --no-duplicates --no-gen --no-min --no-min-gen "
        "--no-ignore --no-gitignore --no-size --wide --ci --languages --verbose --debug --help "
        "--version --uloc --dryness --percent --character --binary --cocomo --min --gen --trace"
    ).split(),
    long_values=(
        "--format --include-ext --exclude-ext --exclude-dir --exclude-file --not-match --sort "
        "--avg-wage --size-unit --count-as --large-byte-count --large-line-count"
    ).split(),
)
_FZF = Spec(
    flags="xeis0123",
    values="dfnq",
    maybe="m",
    long_flags=(
        "--extended --exact --ignore-case --no-ignore-case --smart-case --literal --tac --no-sort "
        "--track --cycle --keep-right --no-hscroll --filepath-word --wrap --no-wrap --multi-line "
        "--no-multi-line --raw --highlight-line --ansi --no-bold --black --read0 --print0 "
        "--print-query --sync --select-1 --exit-0 --bash --zsh --fish --version --help --man "
        "--reverse --no-mouse --no-color --no-unicode --no-input --no-scrollbar --no-separator "
        "--no-info --no-height --no-clear --inline-info --enabled --disabled --phony --no-extended "
        "--no-multi --no-cycle --no-exact --no-reverse --no-border --no-margin --no-padding "
        "--header-first --header-border --list-border --input-border --no-list-border"
    ).split(),
    long_values=(
        "--filter --query --delimiter --nth --with-nth --accept-nth --tiebreak --scheme --algo "
        "--layout --min-height --margin --padding --info --prompt --pointer --marker --header "
        "--ellipsis --tabstop --color --expect --hscroll-off --scroll-off --preview-window --bind "
        "--jump-labels --walker --walker-root --walker-skip --tail --scrollbar --separator --style "
        "--marker-multi-line --wrap-sign --history --preview --become --with-shell "
        "--header-lines --history-size "
        "--preview-label --preview-label-pos --ghost --gutter --header-label --footer --freeze-left"
    ).split(),
    long_maybe=(
        "--multi --sort --height --border --gap --border-label --gap-line --tmux --listen "
        "--listen-unsafe"
    ).split(),
)
_FZF_EFFECTS = {
    "--preview": runs("`--preview` runs a command"),
    "--become": runs("`--become` runs a command"),
    "--tmux": runs("`--tmux` starts a tmux pane"),
    "--listen": network("`--listen` opens a port"),
    "--listen-unsafe": network("`--listen-unsafe` opens a port"),
    "--history": writes("`--history` writes a file"),
    "--with-shell": runs("`--with-shell` chooses a shell"),
}
_PDFTOTEXT = Spec(
    long_flags="-layout -raw -nopgbrk -table -simple -q -htmlmeta -bbox -bbox-layout -tsv".split(),
    long_values="-f -l -r -x -y -W -H -enc -eol -fixed -colspacing".split(),
    single_dash=True,
)
# No sign but `-` and `+`: nearly every other one may enclose an argument (`execute/id/`).
_BINDING = re.compile(r"[^:,]+:[a-z][a-z0-9-]*(\+[a-z][a-z0-9-]*)*")
_ARCHIVE = re.compile(r"\.(tar|tgz|tbz2?|txz|zip|whl|jar|ear|war|gz|bz2|xz|7z|rpm|deb|rar|Z)$")


def _bat(invocation: Invocation) -> Use:
    if invocation.args and invocation.args[0].value == "cache":
        return writes("`bat cache` rebuilds the cache")
    pager = runs("the pager is a program")
    return Flat(_BAT, effects={"--pager": pager, "--lessopen": pager})(invocation)


def _delta(invocation: Invocation) -> Use:
    if arguments(invocation.args, _DELTA).operands:
        return runs("comparing two files runs git or diff")
    return Flat(_DELTA)(invocation)


def _fzf(invocation: Invocation) -> Use:
    """Bindings to bare actions move the cursor; actions with an argument may run a command."""
    words = [word for word in invocation.args if word.value != "+m"]
    for option in arguments(words, _FZF).options:
        if option.name != "--bind":
            continue
        bound = option.value.value if option.value else None
        if bound is None or not all(_BINDING.fullmatch(part) for part in bound.split(",")):
            return runs("a key binding with an argument may run a command")
    return Flat(_FZF, effects=_FZF_EFFECTS)(invocation)


def _cloc(invocation: Invocation) -> Use:
    operands = arguments(invocation.args, _CLOC).operands
    if any(word.value is None or _ARCHIVE.search(word.text) for word in operands):
        return runs("archives are unpacked with other programs")
    return Flat(_CLOC)(invocation)


def _pdftotext(invocation: Invocation) -> Use:
    """Without a second name, or with one that is not `-`, a file beside the document is written."""
    operands = arguments(invocation.args, _PDFTOTEXT).operands
    if len(operands) != 2 or operands[1].value != "-" or perhaps_several(operands[0]):
        return writes("writes the text into a file")
    return Flat(_PDFTOTEXT)(invocation)


def _glow(invocation: Invocation) -> Use:
    """Anything that is not plainly a file may be fetched: `glow github.com/x/y`."""
    given = arguments(
        invocation.args, Spec(flags="ln", values="sw", long_values=("--style", "--width"))
    )
    if sole(invocation, ("--help", "--version", "-h", "-v")):
        return READS
    if given.unclear or not given.operands:
        return runs("glow may start a pager or an editor")
    if all(re.fullmatch(r"-|[^:]*\.(md|markdown)", word.value or "") for word in given.operands):
        return READS
    return network("glow fetches what is not a file")


def _mdcat(invocation: Invocation) -> Use:
    spec = Spec(
        flags="lV",
        long_flags=("--local", "--ansi", "--no-colour", "--version", "--help"),
        long_values=("--columns",),
    )
    given = arguments(invocation.args, spec)
    if given.unclear:
        return not_known("an option of mdcat is not known to be harmless")
    if given.has("-l", "--local", "--version", "-V", "--help"):
        return READS
    return network("remote images are fetched without `--local`")


def _procs(invocation: Invocation) -> Use:
    if any("env" in word.text.lower() for word in invocation.args):
        return Use(Effect.SECRETS, "prints the environment of processes")
    spec = Spec(
        flags="at",
        values="",
        long_flags=("--tree", "--and", "--or", "--thread", "--version"),
        long_values=("--sorta", "--sortd", "--color", "--pager"),
    )
    return Flat(spec, effects={"--pager": not_known("`--pager` may start a pager")})(invocation)


PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(("bat", "batcat"), _bat),
    "delta": _delta,
    "fzf": _fzf,
    "cloc": _cloc,
    "scc": Flat(_SCC, effects={"-o": writes("`-o` writes a file"), "--output": writes("writes")}),
    "hyperfine": Mostly(runs("runs what it measures"), ("--help", "--version", "-h", "-V")),
    "pdftotext": _pdftotext,
    "glow": _glow,
    "mdcat": _mdcat,
    "procs": _procs,
}
