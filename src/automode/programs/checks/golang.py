"""Checks for go."""

from automode.programs.settings_above import project_code
from automode.programs.touch import Given
from automode.programs.use import READS, Use, network, unknown, writes

_HOSTS = (
    *("github.com/", "gitlab.com/", "bitbucket.org/", "golang.org/", "google.golang.org/"),
    *("gopkg.in/", "go.uber.org/", "k8s.io/", "sigs.k8s.io/", "cloud.google.com/"),
)
_ASKS = ("-u", "-versions", "-retracted")


def listing(given: Given) -> Use:
    """Listing packages asks git for the version of the folder; a module may lie on any host."""
    mode = given.options.value("-mod")
    if given.options.has("-mod") and (mode is None or mode.value not in ("readonly", "vendor")):
        return writes("`-mod` lets it change `go.mod`")
    vcs = given.options.value("-buildvcs")
    if not given.options.has("-m") and (vcs is None or vcs.value != "false"):
        return project_code(given.invocation, READS, "it asks git about the folder")
    if any(word.text == "all" for word in given.operands) and mode is None:
        return network("modules that are missing are fetched")
    asks = given.options.has(*_ASKS)
    for word in given.operands:
        away = "@" in word.text or (asks and word.text not in ("all", "./..."))
        if away and not word.text.startswith(_HOSTS):
            return network(f"`{word.text}` may name another server")
    return READS


def local(given: Given) -> Use:
    """A package with a version is fetched."""
    fetched = any("@" in word.text or "://" in word.text for word in given.operands)
    return unknown("a package with a version may be fetched") if fetched else READS
