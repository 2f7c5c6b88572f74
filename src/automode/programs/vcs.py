"""Version control besides git: svn, hg, jj.

hg and jj run what their repository's own configuration says, so that is looked at first.
"""

import posixpath
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from automode.core.files import Kind
from automode.core.paths import parents, within
from automode.programs.rows import Flat, printable
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, runs, unknown
from automode.programs.use import writes as changes
from automode.programs.verbs import spec

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
        return use if use.effect else self.proved(invocation)

    def proved(self, invocation: Invocation) -> Use:
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


def _reads(options: str = "", *, operands: int | None = None, **effects: Use) -> Flat:
    named = {f"--{name.replace('_', '-')}": use for name, use in effects.items()}
    return Flat(spec(options), named, operands=operands)


# --- Subversion: what lies in the working copy is read, the rest is asked of the server.
_SVN_LOCAL = """--verbose --quiet --recursive --xml --non-interactive --ignore-externals --depth=
    --changelist="""
_SVN_TOOL = Tool(
    {
        "info": _reads(f"-R {_SVN_LOCAL} --incremental --show-item= --no-newline"),
        **_rows("status stat st", _reads(f"-vqN {_SVN_LOCAL} --no-ignore --incremental")),
        **_rows(
            "diff di",
            _reads(
                f"-N -x= {_SVN_LOCAL} --summarize --no-diff-deleted --no-diff-added --git "
                "--internal-diff --ignore-properties --properties-only --patch-compatible "
                "--extensions="
            ),
        ),
        **_rows(
            "proplist plist pl propget pget pg",
            _reads(f"-vqR {_SVN_LOCAL} --strict --no-newline --show-inherited-props"),
        ),
        "help": _reads(),
        **_rows(
            "add commit ci delete del remove rm move mv copy cp revert resolve resolved cleanup "
            "mkdir propset pset ps propdel propedit patch relocate upgrade changelist",
            Flat(base=changes("changes the working copy or the repository")),
        ),
        **_rows(
            "log list ls cat blame praise annotate ann",
            Flat(base=network("asks the server that the working copy names")),
        ),
        **_rows(
            "checkout co update up switch sw merge export import lock unlock",
            Flat(base=Use(Effect.NETWORK | Effect.WRITES, "talks to the server and writes")),
        ),
    }
)


def _svn(invocation: Invocation) -> Use:
    if any("://" in word.text or "^/" in word.text for word in invocation.args):
        return network("an address is given")
    if any("@" in word.text for word in invocation.args):
        return network("a revision is asked of the server")
    if any(word.value is None and word.could_be_flag for word in invocation.args):
        return unknown("an argument is not known and may be an option")
    return _SVN_TOOL(invocation)


# --- Mercurial: aliases, hooks and extensions in `.hg/hgrc` are code.
_HG_ALL = "-qvy --quiet --verbose --noninteractive --no-pager"
_HG_FILES = f"{_HG_ALL} -IX= --include= --exclude="
_HG_SHOWS = f"{_HG_ALL} -rT= --rev= --template="
_HG_BLANKS = "-wbB --ignore-all-space --ignore-space-change --ignore-blank-lines"
_HG_TOOL = Tool(
    {
        **_rows(
            "status st",
            _reads(
                f"""{_HG_FILES} -Amardcuin0C -T= --all --modified --added --removed --deleted
                --clean --unknown --ignored --no-status --copies --print0 --rev= --change=
                --template="""
            ),
        ),
        **_rows(
            "log history",
            _reads(
                f"""{_HG_FILES} -fpgGMC -rTldukb= --rev= --template= --limit= --date= --user=
                --keyword= --branch= --prune= --follow --patch --git --stat --graph --no-merges
                --copies"""
            ),
        ),
        "diff": _reads(
            f"""{_HG_FILES} {_HG_BLANKS} -agp -rcU= --rev= --change= --unified= --text --git
            --stat --nodates --noprefix --show-function --reverse"""
        ),
        **_rows(
            "annotate blame",
            _reads(
                f"""{_HG_FILES} {_HG_BLANKS} -aufdncl -r= --rev= --text --user --file --date
                --number --changeset --line-number"""
            ),
        ),
        **_rows("branches heads", _reads(f"{_HG_SHOWS} -tc --topo --closed --active")),
        **_rows("parents tip tags files manifest locate", _reads(f"{_HG_SHOWS} -0 --print0")),
        "cat": _reads(f"{_HG_SHOWS} --output=", output=changes("`--output` writes files")),
        **_rows("summary sum root paths version help", _reads(_HG_ALL)),
        **_rows("branch bookmarks bookmark identify id", _reads("-q --quiet", operands=0)),
        **_rows("resolve_--list resolve_-l shelve_--list shelve_-l", _reads()),
        **_rows(
            "add commit ci remove rm rename mv copy update up checkout merge revert rebase strip "
            "purge tag backout graft histedit amend import init",
            Flat(base=changes("changes the repository")),
        ),
        **_rows("pull clone incoming outgoing", Flat(base=network("talks to another repository"))),
        "push": Flat(base=Use(Effect.NETWORK | Effect.REMOTE_WRITE, "changes another repository")),
    },
    (".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath", ".hgsub"),
    _only_paths,
    ("--noninteractive", "-y", "-q", "--quiet"),
)


def _hg(invocation: Invocation) -> Use:
    """Sets of revisions and templates have functions, some of which ask another repository."""
    use = _HG_TOOL(invocation)
    plain = invocation.literal and not any("(" in word.text for word in invocation.args)
    return use if use.effect or plain else unknown("a function may be called")


# --- Jujutsu
_JJ_ALL = "--ignore-working-copy --no-pager --quiet --color= --at-operation= --at-op="
_JJ_SHOWS = f"""{_JJ_ALL} -s --summary --stat --types --name-only --git --color-words
    --ignore-all-space --ignore-space-change --context= --tool="""
_JJ_LISTS = f"{_JJ_ALL} -T= --template="
_JJ_RUNS = runs("`--tool` runs a diff program")
_JJ_TOOL = Tool(
    {
        **_rows(
            "log evolog obslog op_log operation_log op_show operation_show op_diff show",
            _reads(
                f"""{_JJ_SHOWS} -pG -rnT= --patch --no-graph --reversed --revisions= --revision=
                --limit= --template= --from= --to=""",
                tool=_JJ_RUNS,
            ),
        ),
        **_rows(
            "diff interdiff",
            _reads(f"{_JJ_SHOWS} -rft= --revision= --revisions= --from= --to=", tool=_JJ_RUNS),
        ),
        **_rows("status st root version help workspace_root config_path", _reads(_JJ_ALL)),
        **_rows(
            "file_list file_show file_annotate files cat", _reads(f"{_JJ_LISTS} -r= --revision=")
        ),
        **_rows(
            "bookmark_list branch_list tag_list workspace_list git_remote_list",
            _reads(
                f"""{_JJ_LISTS} -atrc --all-remotes --all --tracked --conflicted --deleted --remote=
                --revisions="""
            ),
        ),
        **_rows(
            "config_list config_get",
            _reads(
                f"""{_JJ_LISTS} --user --repo --workspace --include-defaults
                --include-overridden"""
            ),
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

PROGRAMS: Mapping[str, Judge] = {
    "svn": _svn,
    "hg": _hg,
    "jj": _JJ_TOOL,
}
