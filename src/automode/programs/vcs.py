"""Version control besides git: svn, hg, jj, bzr, fossil, p4. And the ticket clients jira, linear.

hg and jj run what their repository's own configuration says, so that is looked at first.
"""

import posixpath
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from automode.core.files import Kind
from automode.core.paths import parents, within
from automode.programs.forge import Forge
from automode.programs.git_options import Exact, options
from automode.programs.rows import Flat, printable
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, runs, unknown
from automode.programs.use import writes as changes
from automode.shell.options import Spec

_REMOTE = Use(Effect.REMOTE_READ)
_LEVELS = 64
_FILE_BYTES = 64 * 1024


def _blank(text: str) -> bool:
    return not text.strip()


def _only_paths(text: str) -> bool:
    """Whether a Mercurial configuration holds nothing but names for other repositories."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line[0] not in "#;"]
    others = [line for line in lines[1:] if line.startswith(("[", "%"))]
    return not lines or (lines[0] == "[paths]" and not others)


@dataclass(frozen=True, slots=True)
class Tool:
    """A program whose commands are rows. `configs` are the repository's files that could make any
    of them run code, unless `harmless` says otherwise of their text; `leading` are options that
    may stand before the command."""

    verbs: Mapping[str, Flat]
    configs: Collection[str] = ()
    harmless: Callable[[str], bool] = _blank
    leading: Collection[str] = ()

    def __call__(self, invocation: Invocation) -> Use:
        words = invocation.args
        while words and words[0].value in self.leading:
            words = words[1:]
        if not words or [word.value for word in words] in (["--version"], ["--help"], ["version"]):
            return READS
        for length in (2, 1):
            key = " ".join(word.text for word in words[:length])
            if key in self.verbs and all(word.value is not None for word in words[:length]):
                return self.command(self.verbs[key], replace(invocation, args=words[length:]))
        return unknown(f"`{invocation.name} {printable(words[0])}` is not known to only read")

    def command(self, row: Flat, invocation: Invocation) -> Use:
        use = row(invocation)
        if use.effect & ~Effect.REMOTE_READ:
            return use
        # The letters of several commands share one list, so a letter may wrongly seem to take
        # the next word for its value: no long option gets past unseen that way.
        listed = {*row.spec.long_flags, *row.spec.long_values, *row.spec.long_maybe, "--"}
        for word in invocation.args:
            if word.text.startswith("--") and word.text.partition("=")[0] not in listed:
                return unknown(f"option `{printable(word)}` is not known to be harmless")
        return use | self.proved(invocation)

    def proved(self, invocation: Invocation) -> Use:
        if not self.configs:
            return READS
        files, folder = invocation.workspace.files, invocation.command.cwd
        place = files.resolve(folder) if folder is not None else None
        if place is None or invocation.command.remote:
            return unknown("the folder it runs in is not known")
        inside = any(within(place, root) for root in invocation.workspace.folders)
        if not inside and not files.names(place, 1):
            return unknown(f"`{place}` is outside the workspace and cannot be seen")
        for level in (place, *parents(place)[:_LEVELS]):
            for path in (posixpath.join(level, name) for name in self.configs):
                if files.kind(path) is Kind.MISSING:
                    continue
                text = files.text(path, _FILE_BYTES)
                if text is None or len(text) >= _FILE_BYTES // 4 or not self.harmless(text):
                    return runs("the repository's configuration may run something")
        return READS


def _rows(names: str, row: Flat) -> dict[str, Flat]:
    return {name.replace("_", " "): row for name in names.split()}


def _with(spec: Spec, *, base: Use = READS, operands: int | None = None, **effects: Use) -> Flat:
    named = {f"--{name.replace('_', '-')}": use for name, use in effects.items()}
    return Flat(spec, named, operands=operands, base=base)


# --- Subversion: what it knows of the server lies in the working copy, the rest is asked for.
_SVN = options(
    "verbose quiet recursive no-ignore xml incremental summarize stop-on-copy no-diff-deleted "
    "no-diff-added ignore-properties properties-only git patch-compatible show-inherited-props "
    "non-interactive ignore-externals use-merge-history strict no-newline internal-diff",
    "depth limit revision change extensions changelist show-item search with-revprop",
    short="vqRgN/rclx",
)
_SVN_LOCAL = options(
    "verbose quiet recursive no-ignore xml incremental summarize no-diff-deleted git "
    "non-interactive internal-diff ignore-externals strict no-newline show-inherited-props",
    "depth changelist show-item",
    short="vqRN",
)


def _svn(invocation: Invocation) -> Use:
    if any("://" in word.text for word in invocation.args):
        return network("an address is given")
    if any(word.value is None and word.could_be_flag for word in invocation.args):
        return unknown("an argument is not known and may be an option")
    return _SVN_TOOL(invocation)


_SVN_TOOL = Tool(
    {
        **_rows("info status stat st diff di proplist plist pl propget pget pg", _with(_SVN_LOCAL)),
        **_rows("log list ls cat blame praise annotate ann", _with(_SVN, base=_REMOTE)),
        "help": Flat(options()),
        **_rows(
            "add commit ci delete del remove rm move mv copy cp revert resolve resolved cleanup "
            "mkdir propset pset ps propdel propedit patch relocate upgrade changelist",
            Flat(base=changes("changes the working copy or the repository")),
        ),
        **_rows(
            "checkout co update up switch sw merge export import lock unlock",
            Flat(base=Use(Effect.NETWORK | Effect.WRITES, "talks to the server and writes")),
        ),
    }
)

# --- Mercurial: aliases, hooks and extensions in `.hg/hgrc` are code.
_HG = options(
    "quiet verbose noninteractive no-pager all modified added removed deleted clean unknown "
    "ignored no-status print0 copies change git nodates noprefix show-function reverse "
    "ignore-all-space ignore-space-change ignore-blank-lines stat patch follow graph no-merges "
    "only-merges removed number user date changeset file line-number text active closed topo "
    "id branch tags bookmarks files-with-matches list",
    "rev limit template user branch date keyword include exclude unified prune",
    short="qvymardcuin0CpgGfMwbBUA/rlTtI",
)
_HG_TOOL = Tool(
    {
        **_rows(
            "status st log history diff annotate blame branches heads parents summary sum "
            "files manifest locate root paths tags tip cat version help",
            _with(_HG, output=changes("`--output` writes files")),
        ),
        **_rows("branch bookmarks bookmark identify id", _with(options("quiet"), operands=0)),
        "resolve --list": Flat(options()),
        "resolve -l": Flat(options()),
        "shelve --list": Flat(options()),
        "shelve -l": Flat(options()),
        **_rows(
            "add commit ci remove rm rename mv copy update up checkout merge revert rebase strip "
            "purge tag backout graft histedit amend import init",
            Flat(base=changes("changes the repository")),
        ),
        **_rows("pull clone incoming outgoing", Flat(base=network("talks to another repository"))),
        "push": Flat(base=Use(Effect.NETWORK | Effect.REMOTE_WRITE, "changes another repository")),
    },
    (".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath"),
    _only_paths,
    ("--noninteractive", "-y", "-q", "--quiet"),
)

# --- Jujutsu
_JJ = options(
    "summary stat types name-only git color-words no-graph reversed patch ignore-working-copy "
    "no-pager quiet all-remotes all tracked conflicted deleted ignore-all-space "
    "ignore-space-change include-defaults include-overridden user repo workspace",
    "revision revisions limit template from to color at-operation at-op context remote name",
    short="spGa/rnTt",
)
_JJ_TOOL = Tool(
    {
        **_rows(
            "status st log diff show interdiff evolog obslog root version help file_list "
            "file_show file_annotate op_log op_show op_diff operation_log operation_show "
            "bookmark_list branch_list tag_list workspace_list workspace_root config_list "
            "config_get config_path git_remote_list files cat",
            _with(_JJ, tool=runs("`--tool` runs a diff program")),
        ),
        **_rows(
            "new commit describe desc edit squash split rebase abandon restore undo duplicate "
            "bookmark_create bookmark_set bookmark_delete bookmark_move absorb git_init resolve",
            Flat(base=changes("changes the repository")),
        ),
        "git fetch": Flat(base=Use(Effect.NETWORK | Effect.WRITES, "talks to the remote")),
        "git clone": Flat(base=Use(Effect.NETWORK | Effect.WRITES, "talks to the remote")),
        "git push": Flat(base=Use(Effect.NETWORK | Effect.REMOTE_WRITE, "changes the remote")),
    },
    (".jj/repo/config.toml", ".jj/workspace-config.toml"),
    leading=("--no-pager", "--ignore-working-copy", "--quiet"),
)

# --- Bazaar, Fossil, Perforce
_BZR_SPEC = options(
    "short line long verbose quiet versioned show-ids all forward",
    "revision limit",
    short="vqSV/rl",
)
_BZR = Tool(
    {
        **_rows("status st stat log info revno root ls cat annotate blame", _with(_BZR_SPEC)),
        **_rows("diff di", _with(_BZR_SPEC, using=runs("`--using` runs a diff program"))),
        **_rows("nick tags version help", _with(Exact(), operands=0)),
    }
)
_FOSSIL = Tool(
    {
        **_rows(
            "status info changes extras ls finfo annotate blame praise cat version",
            Flat(Spec(single_dash=True)),
        ),
        "timeline": Flat(Spec(single_dash=True, long_values=("-n", "-t", "-p", "-W"))),
        "branch list": Flat(Spec(single_dash=True)),
        "branch ls": Flat(Spec(single_dash=True)),
        "tag list": Flat(Spec(single_dash=True)),
        "remote": Flat(Spec(single_dash=True), operands=0),
    }
)
_P4_SPEC = Spec(flags="alstLSOPRrhzqidfT", values="mceuF")
_P4 = Tool(
    {
        **_rows(
            "info changes describe files filelog opened have where users clients depots branches "
            "labels annotate dirs fstat sizes groups jobs changelists",
            Flat(_P4_SPEC, base=_REMOTE),
        ),
        "print": Flat(Spec(flags="aq"), {"-o": changes("`-o` writes a file")}, base=_REMOTE),
        "client -o": Flat(Spec(), base=_REMOTE),
        "user -o": Flat(Spec(), base=_REMOTE),
        "sync -n": Flat(Spec(), base=_REMOTE),
        "help": Flat(Spec()),
    }
)

# --- Tickets
_JIRA = Forge(
    hosts=(),
    reads=(
        "issue list",
        "issue view",
        "epic list",
        "sprint list",
        "project list",
        "board list",
        "release list",
        "me",
        "serverinfo",
    ),
    uses={
        "open": runs("opens a browser"),
        **dict.fromkeys(
            ("issue create", "issue edit", "issue move", "issue delete", "issue assign"),
            Use(Effect.REMOTE_WRITE, "changes tickets"),
        ),
    },
    aliases={
        "issues": "issue",
        "ls": "list",
        "lists": "list",
        "show": "view",
        "projects": "project",
    },
)
_LINEAR = Forge(
    hosts=(),
    reads=("issue list", "issue view", "issue id", "issue title", "issue url", "team list",
           "team members", "project list", "project view", "milestone list", "document list"),
    aliases={"i": "issue", "p": "project", "t": "team"},
)  # fmt: skip

PROGRAMS: Mapping[str, Judge] = {
    "svn": _svn,
    "hg": _HG_TOOL,
    "jj": _JJ_TOOL,
    "bzr": _BZR,
    "brz": _BZR,
    "fossil": _FOSSIL,
    "p4": _P4,
    "jira": _JIRA,
    "linear": _LINEAR,
}
