"""Linux and BSD system information: processes, hardware, kernel, users."""

from collections.abc import Mapping

from automode.programs.forms import Asked, Mostly
from automode.programs.rows import Flat
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, writes
from automode.shell.options import Spec, arguments

# None of their options can write, run or connect.
_PRINTERS = """
    free uptime uname whoami id groups who w last lastb users logname hostid tty pidof pstree pwdx
    lscpu lsblk lsusb lsmod lsmem lsns lsipc lslocks lsscsi modinfo vmstat iostat mpstat
    vm_stat findmnt getconf locale atq quota acpi lsb_release getcap getfacl getfattr lsattr
    netstat numastat nfsstat ipcs
    sestatus getenforce aa-status sw_vers ioreg system_profiler
    mdfind afinfo pbpaste kextstat GetFileInfo
""".split()

_SYSTEM = Use(Effect.SYSTEM, "changes the running system")


def _only(spec: Spec, otherwise: Use) -> Judge:
    """Reads with the listed options and no operand; an operand sets something."""

    def judge(invocation: Invocation) -> Use:
        given = arguments(invocation.args, spec)
        return otherwise if given.unclear or given.operands else READS

    return judge


def _sysctl(invocation: Invocation) -> Use:
    spec = Spec(
        flags="aAXbBdehnNoqtTx",
        values="r",
        long_flags="--all --binary --ignore --names --values --quiet --help --version".split(),
        long_values=("--pattern",),
    )
    given = arguments(invocation.args, spec)
    if given.unclear or any("=" in w.text or w.value is None for w in given.operands):
        return Use(Effect.SYSTEM, "sets kernel parameters")
    return READS


def _getent(invocation: Invocation) -> Use:
    database = next((w.value for w in invocation.args if not w.text.startswith("-")), None)
    if database in ("passwd", "group", "services", "protocols", "networks", "rpc", "aliases"):
        return READS
    if database in ("hosts", "ahosts", "ahostsv4", "ahostsv6"):
        return network("names are looked up in DNS")
    return Use(Effect.SECRETS, "may print password hashes")


def _lastlog(invocation: Invocation) -> Use:
    return Flat(Spec(values="btu", long_values=("--before", "--time", "--user")))(invocation)


def _service(invocation: Invocation) -> Use:
    words = [word.value for word in invocation.args]
    if words == ["--status-all"] or (len(words) == 2 and words[1] == "status"):
        return READS
    return Use(Effect.SYSTEM, "starts or stops a service")


_DMESG = Spec(
    flags="dehHkLPprSTtuwxV",
    values="Flfs",
    long_flags=(
        "--decode --ctime --reltime --notime --human --kernel --userspace --raw --syslog "
        "--follow --follow-new --show-delta --color --nopager --force-prefix --help --version "
        "--json"
    ).split(),
    long_values=(
        "--file",
        "--facility",
        "--level",
        "--since",
        "--until",
        "--time-format",
        "--buffer-size",
    ),
    long_maybe=("--color",),
)
_BLKID = Spec(
    flags="dhiklpV",
    values="LnostUuO",
    long_flags=("--list-one", "--probe", "--info", "--list-filesystems", "--help", "--version"),
    long_values="--output --match-tag --match-token --label --uuid --usages --match-types".split(),
)
_LSHW = Spec(
    long_flags=(
        "-html -xml -json -short -businfo -sanitize -numeric -quiet -notime -version -help"
    ).split(),
    long_values="-class -C -c -enable -disable -dump".split(),
    single_dash=True,
)
_LSPCI = Spec(flags="vknxbtDmPV", values="sdpi")
_CRONTAB = Spec(flags="l", values="u")
_SWAPON = Spec(
    flags="s", long_flags=("--summary", "--noheadings", "--bytes"), long_maybe=("--show",)
)
_HOSTNAME = Spec(
    flags="fsiIdAya",
    long_flags=(
        "--fqdn --long --short --ip-address --all-ip-addresses --domain --all-fqdns --yp --nis "
        "--alias --help --version"
    ).split(),
)
_MOUNT = Asked(("-l", "--show-labels", "-v", "-t"), _SYSTEM, Spec(flags="lv", values="t"), READS, 0)
_LOSETUP = Asked(
    ("-a", "-l", "-j", "--all", "--list"),
    _SYSTEM,
    Spec(
        flags="alnJ", values="jO", long_flags=("--all", "--list", "--noheadings", "--json", "--raw")
    ),
    READS,
)
_MDADM = Asked(
    ("-D", "-E", "-Q", "--detail", "--examine", "--query"),
    _SYSTEM,
    Spec(flags="DEQsv", long_flags="--detail --examine --query --scan --verbose --brief".split()),
)
_LVM = Flat(
    Spec(
        flags="avPmq",
        values="oOS",
        long_flags=("--all", "--noheadings", "--nosuffix"),
        long_values=("--options", "--sort", "--units", "--reportformat", "--separator"),
    )
)
_SMARTCTL = Asked(
    ("-a", "-i", "-H", "-A", "-x", "-c", "-l", "-j", "--all", "--info", "--health", "--scan", "-V"),
    _SYSTEM,
    Spec(
        flags="aiHAxcjV",
        values="dlnf",
        long_values=("--device", "--log"),
        long_flags="--all --xall --info --health --attributes --capabilities --scan --json".split(),
    ),
)
_SAR = Spec(
    flags="AbBCdFhHpqrRSuvVwWyzt",
    values="fisemnPIj",
    long_flags=("--human", "--dec", "--pretty"),
    long_maybe=("--dec",),
)

PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(_PRINTERS, Flat(any_option=True)),
    "hostname": _only(_HOSTNAME, Use(Effect.SYSTEM, "sets the host name")),
    **dict.fromkeys(
        ("domainname", "dnsdomainname", "nisdomainname", "arch"),
        _only(
            Spec(long_flags=("--help", "--version")),
            Use(Effect.SYSTEM | Effect.RUNS, "an operand acts"),
        ),
    ),
    "sysctl": _sysctl,
    "getent": _getent,
    "lastlog": _lastlog,
    "lshw": Flat(_LSHW, effects={"-dump": writes("`-dump` writes a file")}),
    "lspci": Flat(_LSPCI),
    "dmesg": Flat(
        _DMESG,
        effects=dict.fromkeys(
            (
                "-c -C -n -D -E --clear --read-clear --console-level --console-on --console-off"
            ).split(),
            Use(Effect.SYSTEM, "changes the kernel's log"),
        ),
    ),
    "blkid": Flat(_BLKID),
    "mount": _MOUNT,
    "swapon": Asked(("-s", "--show", "--summary"), _SYSTEM, _SWAPON, operands=0),
    "losetup": _LOSETUP,
    "mdadm": _MDADM,
    **dict.fromkeys("lvs vgs pvs lvdisplay vgdisplay pvdisplay lvscan".split(), _LVM),
    "smartctl": _SMARTCTL,
    "crontab": Asked(("-l",), writes("changes the scheduled jobs"), _CRONTAB, operands=0),
    "at": Asked(("-l",), writes("schedules a job"), Spec(flags="l", values="q"), operands=0),
    "batch": Mostly(writes("schedules a job")),
    "chage": Asked(("-l",), _SYSTEM, Spec(flags="l", long_flags=("--list",))),
    "sensors": Flat(Spec(flags="Aufjhv", long_flags=("--help", "--version", "--no-adapter"))),
    "upower": Flat(
        Spec(
            flags="edmv",
            values="i",
            long_flags="--enumerate --dump --monitor --version".split(),
            long_values=("--show-info",),
        )
    ),
    "sar": Flat(_SAR, effects={"-o": writes("`-o` writes a file")}),
    "service": _service,
    **dict.fromkeys(
        "reboot shutdown poweroff halt init telinit insmod rmmod modprobe useradd usermod userdel "
        "groupadd groupdel passwd chpasswd visudo adduser deluser setenforce".split(),
        Mostly(_SYSTEM),
    ),
}
