"""A profile as text for macOS's `sandbox-exec`. It was never run: `choose` does not offer it."""

from automode.confine.profile import Profile

UNTRIED = "for macOS there is a seatbelt profile, but it was never run"


def seatbelt(profile: Profile) -> str:
    """Later lines win. Processes, memory and what lives on after the call are not limited by it."""
    lines = [
        "(version 1)",
        "(allow default)",
        "(deny network*)",
        "(deny file-write*)",
        "(deny signal (target others))",
        "(deny process-info* (target others))",
        "(deny mach-lookup)",
        "(deny appleevent-send)",
    ]
    if profile.loopback:
        lines += [f'(allow network-{way} (local ip "localhost:*"))' for way in ("bind", "inbound")]
        lines.append('(allow network-outbound (remote ip "localhost:*"))')
    devices = " ".join(f'(literal "/dev/{name}")' for name in ("null", "zero", "tty"))
    lines.append(f"(allow file-write* {devices})")
    given = [(path, "allow file-write*") for path in (profile.workspace, *profile.writable)]
    given.append((profile.temporary, "allow file-write*"))
    given += [(path, "deny file-write*") for path in profile.read_only]
    # The longer of two paths comes later and wins.
    for path, rule in sorted(given, key=lambda one: len(one[0])):
        lines.append(f"({rule} (subpath {_quoted(path)}))")
    lines += [f"(deny file-read* file-write* (subpath {_quoted(path)}))" for path in profile.hidden]
    return "\n".join(lines) + "\n"


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
