"""Clients that copy files to and from object stores: rclone, s3cmd, mc and others."""

from collections.abc import Mapping

from automode.programs.clients import (
    CHANGES,
    ELSEWHERE,
    REMOTE,
    RUNS,
    SECRET,
    WRITES,
    Row,
    Verbs,
    options,
    row,
    words,
)
from automode.programs.services import Service, others, paths
from automode.programs.use import READS, Effect, Judge, Use
from automode.shell.options import Arguments

_FILTERS = (
    "-R --recursive --max-depth= --include= --exclude= --filter= --min-size= --max-size= --min-age="
    " --max-age= --files-only --dirs-only --hash --hash-type= --format= -F= --separator= -s= --csv"
    " --absolute --fast-list -v --verbose -q --quiet --json --human-readable -M --metadata --stat"
    " --no-modtime --no-mimetype --original --encrypted -e --level= --all -a -d -C -i --full"
    " --checkers= --tpslimit= --timeout= --retries= --head= --tail= --offset= --count= --discard"
    " --size -p --sort= -t --dirsfirst -U --one-way --checksum --size-only -P --progress"
)


def _configured_remote(given: Arguments) -> Use:
    """`name:path` is a remote the user configured; `:backend,host=…:` is made up on the spot."""
    if any(word.text.startswith(":") or "," in word.text for word in given.operands):
        return ELSEWHERE
    return READS


_LISTING = Row(options(_FILTERS), REMOTE, check=_configured_remote)
_RCLONE = Verbs(
    {
        **dict.fromkeys(
            words("ls lsd lsl lsf lsjson size about tree cat md5sum sha1sum hashsum check"),
            _LISTING,
        ),
        "version": row(),
        "listremotes": row("--long --json"),
        "config file": row(),
        "config paths": row(),
        "config providers": row(),
        "help": row(),
        "genautocomplete": Row(base=WRITES),
    },
    uses={
        **dict.fromkeys(words("config authorize obscure reveal link"), SECRET),
        "config show": SECRET,
        "config dump": SECRET,
        **dict.fromkeys(
            words(
                "copy sync move copyto moveto delete deletefile purge mkdir rmdir rmdirs touch"
                " bisync dedupe cleanup settier copyurl rcat backend"
            ),
            CHANGES | WRITES,
        ),
        **dict.fromkeys(words("mount nfsmount serve rcd rc ncdu gui"), RUNS),
    },
    spec=options("-v --verbose -q --quiet"),
)
_S3CMD = Verbs(
    {
        "ls": row("-r --recursive -H --human-readable-sizes -l --long-listing --limit=", REMOTE),
        "la": row("-H --human-readable-sizes --limit=", REMOTE),
        "du": row("-H --human-readable-sizes", REMOTE),
        "info": row("", REMOTE),
        "getlifecycle": row("", REMOTE),
        "getpolicy": row("", REMOTE),
        "multipart": row("", REMOTE),
        "listmp": row("", REMOTE),
    },
    options("--version -v --verbose -q --quiet"),
    uses={
        **dict.fromkeys(
            words("put del rm mb rb cp mv modify setacl setpolicy sync restore"), CHANGES
        ),
        "get": WRITES,
        "signurl": SECRET,
    },
)
_MC = Service(
    leading=options("--json --no-color -q --quiet"),
    reads=paths("""
ls|stat|du|find|tree|cat|head|diff|ping|ready
version|tag|retention|legalhold|ilm|encrypt|quota|anonymous|policy|event|replicate info|list|ls|get
admin info
admin user|group|policy list|ls|info
admin top locks
ilm rule|tier list|ls
"""),
    uses=others(
        {
            "alias|share|config": SECRET,
            "admin user|group svcacct": SECRET,
            "rb|rm|mb|cp|mv|mirror|put|pipe|undo|admin|sql|watch": CHANGES,
            "get": WRITES,
        }
    ),
    spec=options(
        "-r --recursive --json --no-color -q --quiet --summarize --versions --name= --older-than="
    ),
)
_S5CMD = Verbs(
    {
        "ls": row("-e --etag -H --humanize -s --storage-class --exclude= --all-versions", REMOTE),
        "du": row("-H --humanize -g --group --exclude= --all-versions", REMOTE),
        "head": row("--version-id=", REMOTE),
        "cat": row("", REMOTE),
        "version": row(),
    },
    options("--json --numworkers= --stat --log="),
    uses=dict.fromkeys(words("cp mv rm mb rb sync pipe run select"), CHANGES),
)
_AZCOPY = Service(
    reads=paths("jobs list|show"),
    uses=others(
        {"list|copy|cp|sync|remove|rm|make|bench|login|logout|jobs": CHANGES, "env": SECRET}
    ),
    spec=options("--machine-readable --running-tally"),
)
_MUTAGEN = Service(
    reads=paths("sync|forward list|monitor\nproject list\nversion\ndaemon status"),
    spec=options("-l --long --label-selector="),
    base=Use(Effect.REMOTE_READ),
)

PROGRAMS: Mapping[str, Judge] = {
    "rclone": _RCLONE,
    "s3cmd": _S3CMD,
    "mc": _MC,
    "mcli": _MC,
    "s5cmd": _S5CMD,
    "azcopy": _AZCOPY,
    "mutagen": _MUTAGEN,
}
