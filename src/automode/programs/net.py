"""Programs that talk to the network by their nature: curl, wget, ssh, dig, nc, rsync."""

import re
from collections.abc import Mapping

from automode.programs.forms import Mostly, sole
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network
from automode.shell.options import Spec, arguments

_ASKS = ("--help", "--version", "-h", "-V", "--manual")

_CURL = Spec(
    flags="0123469aBfgGiIjJkLlMNnOpqRsSvZ#",
    values="AbcCdDeEFHhKmoPQrtTuUwxXyYz",
    long_flags=(
        "--silent --show-error --location --fail --fail-with-body --insecure --head --include "
        "--verbose --compressed --get --globoff --remote-name --remote-name-all "
        "--remote-header-name --no-progress-meter --ipv4 --ipv6 --http1.1 --http2 --no-buffer"
    ).split(),
    long_values=(
        "--request --data --data-raw --data-binary --data-urlencode --data-ascii --json --form "
        "--form-string --upload-file --output --output-dir --cookie-jar --dump-header --header "
        "--user --user-agent --max-time --connect-timeout --retry --url --write-out --cookie "
        "--etag-save --trace --trace-ascii --stderr --hsts --alt-svc --libcurl --config --quote"
    ).split(),
)
_SENDS = (
    "-d -F -T --data --data-raw --data-binary --data-urlencode --data-ascii --json --form "
    "--form-string --upload-file -Q --quote"
).split()
_SAVES = (
    "-o -O -c -D -J --output --remote-name --remote-name-all --cookie-jar --dump-header "
    "--etag-save --trace --trace-ascii --stderr --hsts --alt-svc --libcurl"
).split()


def _curl(invocation: Invocation) -> Use:
    if sole(invocation, _ASKS):
        return READS
    given = arguments(invocation.args, _CURL)
    use = network("curl connects")
    method = given.value("-X", "--request")
    queries = given.has("-G", "--get")
    if method is not None and (method.value or "").upper() not in ("GET", "HEAD", "OPTIONS"):
        use |= Use(Effect.REMOTE_WRITE)
    if given.has(*_SENDS) and not queries:
        use |= Use(Effect.REMOTE_WRITE)
    if given.has(*_SAVES) and (given.value("-o", "--output") or invocation.args[0]).text not in (
        "-",
        "/dev/null",
    ):
        use |= Use(Effect.WRITES)
    if given.has("-K", "--config"):
        use |= Use(Effect.UNKNOWN)
    return use


def _wget(invocation: Invocation) -> Use:
    if sole(invocation, _ASKS):
        return READS
    texts = [word.text for word in invocation.args]
    use = network("wget connects")
    if any(text.startswith(("--post", "--body", "--method")) for text in texts):
        use |= Use(Effect.REMOTE_WRITE)
    prints = any(re.fullmatch(r"--spider|-q?O-?|-O/dev/null|--output-document=-", t) for t in texts)
    return use if prints else use | Use(Effect.WRITES)


def _ssh(invocation: Invocation) -> Use:
    words = [word.value for word in invocation.args]
    if words == ["-V"] or (len(words) == 2 and words[0] == "-Q"):
        return READS
    return Use(Effect.NETWORK | Effect.RUNS | Effect.REMOTE_WRITE, "acts on another machine")


_RSYNC = Spec(
    flags="nvarlptgoDzhHAXSixcuWqPC0kKLEJmdUNRI",
    values="f",
    long_flags=(
        "--dry-run --verbose --archive --recursive --links --perms --times --group --owner "
        "--devices --specials --compress --human-readable --hard-links --acls --xattrs --sparse "
        "--itemize-changes --checksum --update --whole-file --quiet --progress --stats --delete "
        "--existing --ignore-existing --size-only --list-only --one-file-system --numeric-ids "
        "--delete-excluded --partial --cvs-exclude --prune-empty-dirs --relative"
    ).split(),
    long_values=(
        "--exclude --include --filter --exclude-from --include-from --max-size --min-size --info "
        "--out-format --compare-dest"
    ).split(),
    long_maybe=("--info",),
)


def _rsync(invocation: Invocation) -> Use:
    """Between local folders a dry run only compares; `host:path` and daemons connect."""
    if sole(invocation, ("--version", "--help")):
        return READS
    given = arguments(invocation.args, _RSYNC)
    remote = any(":" in w.text or w.value is None for w in given.operands)
    if given.unclear or not given.has("-n", "--dry-run", "--list-only") or remote:
        where = Effect.NETWORK | Effect.REMOTE_WRITE if remote else Effect.NONE
        return Use(Effect.WRITES | where, "copies files")
    return READS


_SERVES = Use(Effect.NETWORK | Effect.RUNS, "connects, and may run programs for the other side")
_COPIES = Use(Effect.NETWORK | Effect.WRITES | Effect.REMOTE_WRITE, "copies between machines")

PROGRAMS: Mapping[str, Judge] = {
    "curl": _curl,
    "wget": _wget,
    "wget2": _wget,
    "ssh": _ssh,
    "rsync": _rsync,
    **dict.fromkeys(
        "ping ping6 fping dig drill host nslookup traceroute traceroute6 tracepath mtr whois "
        "telnet nmap masscan arping dns-sd sntp ntpdate ntpq tcpdump tshark wireshark iperf iperf3 "
        "speedtest speedtest-cli websocat wscat grpcurl lynx w3m links elinks ssh-keyscan "
        "kdig doggo nping hping3 arp-scan smbclient snmpwalk snmpget ldapsearch".split(),
        Mostly(network("talks to the network"), ("--help", "--version")),
    ),
    **dict.fromkeys(
        "http https xh xhs httpie aria2c axel yt-dlp youtube-dl ab wrk hey vegeta".split(),
        Mostly(
            Use(Effect.NETWORK | Effect.WRITES, "talks to the network"), ("--help", "--version")
        ),
    ),
    **dict.fromkeys(
        "nc ncat netcat socat cryptcat".split(), Mostly(_SERVES, ("--help", "--version", "-h"))
    ),
    **dict.fromkeys(
        "scp sftp ftp lftp tftp ncftp mosh autossh ssh-copy-id sshfs".split(), Mostly(_COPIES)
    ),
    **dict.fromkeys("mail mailx sendmail mutt msmtp swaks".split(), Mostly(network("sends mail"))),
}
