"""systemd and launchd: what is running, and what it logged."""

from collections.abc import Mapping

from automode.programs.forms import Mostly, sole
from automode.programs.rows import Flat, Tree
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, unknown, writes
from automode.shell.options import Spec

_SYSTEM = Use(Effect.SYSTEM, "changes services")
_ELSEWHERE = network("another machine is asked")
_REMOTE = {"-H": _ELSEWHERE, "--host": _ELSEWHERE, "-M": _ELSEWHERE, "--machine": _ELSEWHERE}
_ENVIRONMENT = Use(Effect.SECRETS, "prints the service manager's environment")

_SPEC = Spec(
    flags="alrqh",
    values="tpnoHMP",
    long_flags=(
        "--all --full --no-pager --no-legend --plain --user --system --quiet --recursive --reverse "
        "--failed --value --help --version --show-types --no-ask-password --after --before "
        "--adjustment --monitor --dot --with-dependencies"
    ).split(),
    long_values=(
        "--type --state --property --lines --output --host --machine --job-mode --timestamp --root"
    ).split(),
    long_maybe=("--legend",),
)


def _tree(reads: str, uses: Mapping[str, Use] | None = None, bare: Use = READS) -> Tree:
    return Tree(
        reads=reads.split(),
        uses=uses or {},
        spec=_SPEC,
        effects=_REMOTE,
        strict=True,
        depth=1,
        bare=bare,
    )


_JOURNAL = Spec(
    flags="fnrxeaqmkNhlW",
    values="utpSUcoFgDT",
    maybe="nb",
    long_flags=(
        "--follow --reverse --catalog --pager-end --all --quiet --merge --dmesg --fields "
        "--no-pager --no-tail --no-full --full --utc --no-hostname --system "
        "--user --list-boots --disk-usage "
        "--header --list-catalog --dump-catalog --show-cursor --verify --version --help "
        "--truncate-newline --list-namespaces --list-invocations"
    ).split(),
    long_values=(
        "--unit --user-unit --identifier --priority --since --until --cursor --after-cursor "
        "--output --output-fields --field --grep --facility --file --directory "
        "--exclude-identifier --case-sensitive --namespace --invocation"
    ).split(),
    long_maybe=("--lines", "--boot"),
    numbers=True,
)
_JOURNAL_WRITES = dict.fromkeys(
    "--rotate --flush --sync --relinquish-var --smart-relinquish-var --setup-keys --update-catalog "
    "--vacuum-size --vacuum-time --vacuum-files --cursor-file".split(),
    writes("changes the journal"),
)


def _launchctl(invocation: Invocation) -> Use:
    words = [word.value for word in invocation.args]
    verb = words[0] if words else None
    if verb in (
        "list print print-cache print-disabled plist procinfo hostinfo resolveport blame dumpstate "
        "managername managerpid manageruid error version help variant".split()
    ):
        return READS if invocation.literal else unknown("an argument is not known")
    if verb in ("getenv", "export"):
        return _ENVIRONMENT
    if verb == "limit" and len(words) <= 2:
        return READS
    return Use(Effect.SYSTEM, "changes services") if verb else unknown("reads commands from input")


def _brief(*verbs: str) -> Judge:
    def judge(invocation: Invocation) -> Use:
        return READS if sole(invocation, verbs) else _SYSTEM

    return judge


PROGRAMS: Mapping[str, Judge] = {
    "systemctl": _tree(
        "status show cat help get-default list-units list-unit-files list-sockets list-timers "
        "list-jobs list-dependencies list-machines list-paths list-automounts list-swaps "
        "is-active is-enabled is-failed is-system-running whoami",
        {"show-environment": _ENVIRONMENT},
    ),
    "journalctl": Flat(_JOURNAL, effects=_JOURNAL_WRITES | _REMOTE),
    "timedatectl": _tree("status show list-timezones timesync-status show-timesync"),
    "localectl": _tree(
        "status list-locales list-keymaps list-x11-keymap-models list-x11-keymap-layouts"
    ),
    "hostnamectl": _tree("status"),
    "loginctl": _tree(
        "list-sessions session-status show-session list-users user-status show-user list-seats "
        "seat-status show-seat"
    ),
    "networkctl": _tree("list status lldp"),
    "resolvectl": _tree(
        "status statistics dns domain", {"query": network("DNS"), "service": network("DNS")}
    ),
    "bootctl": _tree("status list"),
    "busctl": _tree("list status tree introspect"),
    "coredumpctl": _tree("list info"),
    "machinectl": _tree("list status show list-images"),
    "systemd-analyze": _tree(
        "time blame critical-chain dump unit-paths exit-status capability calendar timespan "
        "timestamp security verify cat-config syscall-filter condition"
    ),
    **dict.fromkeys(
        ("systemd-cgls", "systemd-detect-virt", "systemd-escape", "systemd-path", "systemd-id128"),
        Flat(_SPEC),
    ),
    **dict.fromkeys(("systemd-run", "systemd-tmpfiles", "systemd-cat"), Mostly(_SYSTEM)),
    "launchctl": _launchctl,
    "initctl": _brief("list", "version"),
    "rc-status": Flat(any_option=True),
}
