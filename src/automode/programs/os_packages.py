"""Package managers of operating systems, apart from Homebrew."""

from collections.abc import Mapping

from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, unknown
from automode.programs.verbs import (
    REMOTE,
    Verbs,
    always,
    asks_only,
    blurred,
    many,
    prints,
    reads,
    remote,
    spec,
    words,
)
from automode.shell.options import Spec, arguments

_CHANGES = always(Effect.WRITES | Effect.SYSTEM | Effect.NETWORK, "it changes installed packages")
_SETTINGS = always(Effect.WRITES | Effect.SYSTEM, "it changes the package manager's settings")
_DOWNLOADS = always(Effect.WRITES | Effect.NETWORK, "it downloads packages")

_APT = (
    " -q --quiet -a --all-versions --installed --upgradable --manual-installed -v --verbose"
    " --names-only -n --full -f --recurse --no-recommends --no-suggests -i --important"
    " --no-all-versions"
    " --no-pre-depends --no-depends --no-enhances --no-conflicts --no-breaks --no-replaces"
    " --implicit"
)
_SIMULATED = spec(_APT + " -s --simulate --just-print --dry-run --recon --no-act -y --yes -u -V -f")


def _simulates(invocation: Invocation) -> Use:
    """`apt-get -s install X` only says what would happen."""
    given = arguments(invocation.args, _SIMULATED)
    simulated = given.has("-s", "--simulate", "--just-print", "--dry-run", "--recon", "--no-act")
    return READS if simulated and not given.unclear else _CHANGES(invocation)


_APT_CACHE_VERBS = (
    "show showpkg showsrc search policy depends rdepends pkgnames stats dump dumpavail unmet dotty"
    " madison list"
)
_APT_VERBS: dict[str, Judge] = {
    **many(_APT_CACHE_VERBS + " indextargets help moo", reads(_APT)),
    "changelog": remote(_APT),
    **many(
        "install remove purge upgrade dist-upgrade full-upgrade autoremove reinstall", _simulates
    ),
    **many("satisfy build-dep", _simulates),
    **many("update autoclean clean autopurge edit-sources modernize-sources check", _CHANGES),
    **many("download source", _DOWNLOADS),
}


def _apt(invocation: Invocation) -> Use:
    """`apt-get -s install X` has its most important option before the verb."""
    if invocation.args and invocation.args[0].value in ("-s", "--simulate", "--dry-run"):
        verb = arguments(invocation.args, _SIMULATED).operands[:1]
        known = verb and verb[0].value in _APT_VERBS
        return _simulates(invocation) if known else unknown("the sub-command is not known")
    return Verbs(_APT_VERBS, spec(_APT + " --version -h --help"), bare=prints)(invocation)


_DPKG = (
    "-l -L -s -S -p -c -I -C -W -f= --list --listfiles --status --search --print-avail --contents"
    " --info --audit --show --showformat= --get-selections --print-architecture -V --verify"
    " --print-foreign-architectures --compare-versions --version --help --no-pager --field"
    " --control-path --control-list --control-show --load-avail"
)
_RPM = Spec(
    abbreviates=False,
    flags="qapilfcdRvs",
    long_flags=tuple(
        f"--{name}"
        for name in words(
            "query all package info list file configfiles docfiles requires provides changelog last"
            " scripts triggers whatprovides whatrequires conflicts obsoletes recommends suggests"
            " dump state version help nosignature nodigest filesbypkg filetriggers enhances"
            " supplements verbose quiet licensefiles group querytags"
        )
    ),
    long_values=("--qf", "--queryformat"),
)


def _rpm(invocation: Invocation) -> Use:
    """Queries only. `--pipe` and `--eval` run commands, `-p URL` fetches."""
    given = arguments(invocation.args, _RPM)
    if any("://" in word.text for word in invocation.args):
        return network("it fetches a package")
    queries = given.has("-q", "--query", "--version", "--help", "--querytags")
    if queries and not given.unclear and not blurred(invocation):
        return READS
    return Use(Effect.WRITES | Effect.SYSTEM, "it is not a plain query")


_DNF = (
    " -q --quiet -v --verbose -y --assumeyes -C --cacheonly --installed --available --all --updates"
    " --extras --obsoletes --recent --upgrades --showduplicates --color= --refresh --userinstalled"
    " --requires --provides --whatprovides= --whatrequires= --qf= --queryformat= --list -l --info"
    " -i"
    " --deplist --tree --recursive --latest-limit= --security --enabled --disabled --hidden"
    " --resolve"
    " --autoremove --duplicates --unneeded --arch= --exact --file= --changelogs --advisory="
)
_DNF_VERBS: dict[str, Judge] = {
    **many(
        "list info search provides whatprovides repolist repoinfo repoquery deplist", remote(_DNF)
    ),
    **many("check-update updateinfo check grouplist groupinfo changelog rq se", remote(_DNF)),
    **many("list-updates help version", remote(_DNF)),
    "repo": Verbs({**many("list info", remote(_DNF))}),
    "history": Verbs({**many("list info userinstalled", reads(_DNF))}, spec(_DNF), bare=prints),
    **many("group groups environment", Verbs({**many("list info summary", remote(_DNF))})),
    "module": Verbs({**many("list info provides", remote(_DNF)), "install": _CHANGES}),
    "alias": Verbs({"list": prints}),
    "advisory": Verbs({**many("list info summary", remote(_DNF))}),
    **many(
        "install remove erase update upgrade downgrade reinstall autoremove clean makecache",
        _CHANGES,
    ),
    **many("distro-sync swap mark groupinstall localinstall config-manager copr", _CHANGES),
    "download": _DOWNLOADS,
}
_ZYPPER = (
    " -s --details -i --installed-only -u --not-installed-only -t= --type= -r= --repo= -n --name"
    " -x --match-exact --provides --requires --url -E --show-enabled-only -d -a --all -q --quiet"
)
_ZYPPER_VERBS: dict[str, Judge] = {
    **many(
        "search se info if list-updates lu list-patches lp repos lr packages pa", remote(_ZYPPER)
    ),
    **many("patterns pt products pd services ls what-provides wp locks ll", remote(_ZYPPER)),
    **many("licenses help patch-check pchk targetos ps", remote(_ZYPPER)),
    **many(
        "install in remove rm update up dist-upgrade dup patch refresh ref addrepo ar", _CHANGES
    ),
    **many("removerepo rr modifyrepo mr addlock al removelock rl clean cc verify", _CHANGES),
}
_PACMAN_READS = {"Q": words("q e l d t m n i k o s u g c p v"), "T": words("q v")}
_PACMAN_SYNC = {"S": words("s i l g q p"), "F": words("l x q s o")}


def _pacman(invocation: Invocation) -> Use:
    """The first letter is the operation, the others bend it; `-Sy` refreshes, so it writes."""
    if asks_only(invocation, "--version", "-V", "--help", "-h"):
        return READS
    given = arguments(
        invocation.args,
        Spec(
            abbreviates=False,
            flags="QSFTqeldtmniksugcpoxv",
            long_flags=(
                "--query",
                "--search",
                "--info",
                "--list",
                "--owns",
                "--quiet",
                "--explicit",
                "--deps",
                "--unrequired",
                "--foreign",
                "--native",
                "--groups",
                "--upgrades",
            ),
        ),
    )
    letters = [option.name[1:] for option in given.options if len(option.name) == 2]
    operation = letters[0] if letters else "Q" if given.has("--query") else ""
    rest = set(letters[1:])
    if given.unclear or blurred(invocation):
        return Use(Effect.WRITES | Effect.SYSTEM, "it is not a plain query")
    if operation in _PACMAN_READS and rest <= _PACMAN_READS[operation]:
        return READS
    if operation in _PACMAN_SYNC and rest and rest <= _PACMAN_SYNC[operation]:
        return REMOTE
    return Use(Effect.WRITES | Effect.SYSTEM, "it is not a plain query")


_APK = (
    " -q --quiet -v --verbose -a --all -e --installed -I -L --contents -W --who-owns -R --depends"
    " -r"
    " --rdepends -P --provides -d --description -w --webpage -s --size -t -i -l -O -U --origin -o"
    " -x"
    " --exact --available --upgradable -u --orphaned"
)
_APK_VERBS: dict[str, Judge] = {
    **many("info list search policy version stats dot", remote(_APK)),
    "audit": reads("--backup --system --packages -r --recursive"),
    **many("add del update upgrade fix cache fetch", _CHANGES),
}
_SNAP_VERBS: dict[str, Judge] = {
    **many(
        "list services connections interfaces version changes tasks change warnings model known",
        reads("--all --abs-time --last= -a"),
    ),
    **many("info find", remote("--verbose --color= --unicode= --narrow --section= --private")),
    **many("whoami help components validate", prints),
    **many(
        "install remove refresh revert enable disable set unset connect disconnect alias", _CHANGES
    ),
    **many("start stop restart login logout run", _CHANGES),
}
_FLATPAK = (
    " --app --runtime -d --show-details --columns= --user --system -a --all --arch= --updates"
    " --show-ref -r --show-commit -o --show-origin -s --show-size -m --show-metadata --cached"
)
_FLATPAK_VERBS: dict[str, Judge] = {
    **many("list info history ps remotes permissions permission-show config", reads(_FLATPAK)),
    **many("search remote-ls remote-info", remote(_FLATPAK)),
    **many(
        "install uninstall remove update override mask pin repair remote-add remote-delete",
        _CHANGES,
    ),
    **many("run enter kill build", always(Effect.RUNS, "it runs an application")),
}
_PORT_VERBS: dict[str, Judge] = {
    **many(
        "list installed info contents deps rdeps dependents outdated provides variants version",
        reads("--index --full --name --no-build -v -q"),
    ),
    **many("search echo cat file dir notes work space distfiles", reads("--name --regex --line")),
    **many("install uninstall upgrade selfupdate sync activate deactivate clean reclaim", _CHANGES),
}
_CHOCO = " -l --local-only --limit-output -r -a --all-versions --exact -e -p --prerelease --verbose"
_CHOCO_VERBS: dict[str, Judge] = {
    **many("list search find info outdated", remote(_CHOCO)),
    **many(
        "source sources feature features pin config",
        Verbs(
            {"list": reads(_CHOCO), **many("add remove enable disable set unset", _SETTINGS)},
            bare=prints,
        ),
    ),
    **many("install uninstall upgrade push pack new", _CHANGES),
}
_WINGET_VERBS: dict[str, Judge] = {
    **many(
        "list ls search find show view",
        remote(
            "--id= --name= --moniker= --tag= -q= --query= -e --exact -n= --count= --versions"
            " --upgrade-available --accept-source-agreements --disable-interactivity --scope="
        ),
    ),
    "source": Verbs({**many("list export", prints), **many("add remove reset update", _SETTINGS)}),
    **many("features hash", reads("-f= --file=")),
    **many("install uninstall upgrade import configure", _CHANGES),
}


_MARK: dict[str, Judge] = {
    **many("showauto showmanual showhold showinstall showremove showpurge", reads()),
    **many("auto manual hold unhold minimize-manual", _SETTINGS),
}
PROGRAMS: Mapping[str, Judge] = {
    **many("apt apt-get aptitude", _apt),
    "apt-cache": Verbs({**many(_APT_CACHE_VERBS, reads(_APT))}, spec(_APT + " --version -h")),
    "apt-mark": Verbs(_MARK, spec("--version -h")),
    "apt-file": Verbs(
        {**many("search list show find", reads("-l -x -F -i -v")), "update": _CHANGES}
    ),
    "apt-config": Verbs({**many("dump shell", reads())}),
    **many("dpkg dpkg-query dpkg-deb", reads(_DPKG)),
    "rpm": _rpm,
    **many("dnf dnf5 yum microdnf", Verbs(_DNF_VERBS, spec(_DNF + " --version -h --help"))),
    "zypper": Verbs(_ZYPPER_VERBS, spec("--version -V -h --help -q --quiet --no-refresh")),
    **many("pacman yay paru", _pacman),
    "apk": Verbs(_APK_VERBS, spec("--version -V -h --help -q -v")),
    "snap": Verbs(_SNAP_VERBS, spec("--version -h --help"), bare=prints),
    "flatpak": Verbs(_FLATPAK_VERBS, spec("--version -h --help --user --system")),
    "port": Verbs(_PORT_VERBS, spec("-q -v")),
    "choco": Verbs(_CHOCO_VERBS, spec("--version -v --help -h -?")),
    "winget": Verbs(_WINGET_VERBS, spec("--version -v --help -h --info -?")),
    "scoop": Verbs({**many("list status which info cat help search", remote())}, spec("--version")),
    "mas": Verbs({**many("list outdated search info version account", remote("--verbose"))}),
}
