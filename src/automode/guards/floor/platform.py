"""Switching off what protects the platform: firewalls, integrity protection, mandatory access."""

from collections.abc import Mapping

from automode.guards.guard import Guard, See, Sight, shown, words

_PROTECTORS = words(
    "apparmor auditd firewalld ufw selinux nftables iptables fail2ban clamav-daemon falcon-sensor"
    " crowdstrike osqueryd rsyslog syslog systemd-journald mdatp sysmon wazuh-agent windefend"
    " mpssvc ip6tables ossec"
)


def _word(*wanted: str, detail: str) -> See:
    """Fires when one of `wanted` is among the words, case aside."""

    def sees(sight: Sight) -> str | None:
        low = [text.casefold() for text in sight.texts]
        return detail if any(word in low for word in wanted) else None

    return sees


def _service(sight: Sight) -> str | None:
    """`systemctl stop ufw`, `service auditd stop`, `sc stop WinDefend`."""
    low = [text.casefold().removesuffix(".service") for text in sight.texts]
    stopped = {"stop", "disable", "mask", "kill", "delete"} & set(low)
    name = next((word for word in low if word in _PROTECTORS), None)
    return f"`{name}` protects the machine" if stopped and name else None


def _setenforce(sight: Sight) -> str | None:
    lax = sight.texts[:1] and sight.texts[0].casefold() in ("0", "permissive")
    return "SELinux stops enforcing" if lax else None


def _iptables(sight: Sight) -> str | None:
    texts = sight.texts
    if "-F" in texts or "--flush" in texts or "-X" in texts:
        return "it drops every rule of the firewall"
    opens = "-P" in texts and "ACCEPT" in texts and "INPUT" in texts
    return "it lets everything in" if opens else None


def _nft(sight: Sight) -> str | None:
    return "it drops the firewall's rules" if sight.texts[:2] == ["flush", "ruleset"] else None


_KERNEL = words(
    "kernel.randomize_va_space=0 kernel.yama.ptrace_scope=0 kernel.kptr_restrict=0"
    " kernel.dmesg_restrict=0 kernel.unprivileged_bpf_disabled=0 fs.protected_symlinks=0"
    " fs.protected_hardlinks=0 kernel.modules_disabled=0 net.ipv4.conf.all.rp_filter=0"
    " kernel.perf_event_paranoid=-1 fs.suid_dumpable=2"
)
_KERNEL_FILES = tuple(f"/proc/sys/{row.partition('=')[0].replace('.', '/')}" for row in _KERNEL)
_SWITCHES = ("/sys/fs/selinux/enforce", "/etc/selinux/config", "/sys/kernel/security/",
             "/etc/apparmor.d/", "/etc/audit/", "/proc/sys/kernel/core_pattern",
             "/etc/hosts.allow", "/etc/hosts.deny", "/etc/nsswitch.conf")  # fmt: skip


def _sysctl(sight: Sight) -> str | None:
    joined = "".join(sight.texts).replace("-w", "").replace(" ", "")
    row = next((row for row in _KERNEL if row in joined), None)
    return f"`{row}` takes a protection of the kernel away" if row else None


def _powershell(sight: Sight) -> str | None:
    low = [text.casefold() for text in sight.texts]
    if sight.name == "set-mppreference":
        off = any(text.startswith(("-disable", "-exclusion")) for text in low)
        return "Windows Defender looks away" if off else None
    if sight.name == "set-executionpolicy":
        lax = {"bypass", "unrestricted"} & set(low)
        return "any script may run" if lax and "process" not in low else None
    switched_off = {"false", "$false"} & set(low)
    return "the firewall is off" if switched_off and "-enabled" in low else None


def _netsh(sight: Sight) -> str | None:
    low = [text.casefold() for text in sight.texts]
    off = "advfirewall" in low and "off" in low
    return "the firewall is off" if off or {"opmode", "disable"} <= set(low) else None


_BY_PROGRAM: Mapping[str, See] = {
    "spctl": _word("--master-disable", "--global-disable", "--disable",
                   detail="Gatekeeper is off"),
    "csrutil": _word("disable", "authenticated-root", detail="system integrity protection is off"),
    "setenforce": _setenforce,
    "systemctl": _service,
    "service": _service,
    "rc-service": _service,
    "sc": _service,
    "ufw": _word("disable", "reset", detail="the firewall is off"),
    "firewall-cmd": _word("--panic-off", "--set-default-zone=trusted", detail="it lets all in"),
    "iptables": _iptables,
    "ip6tables": _iptables,
    "nft": _nft,
    "pfctl": _word("-d", detail="the firewall is off"),
    "sysctl": _sysctl,
    "fdesetup": _word("disable", detail="the disk is no longer encrypted"),
    "auditctl": lambda s: "auditing is off" if s.texts in (["-e", "0"], ["-D"]) else None,
    "aa-teardown": lambda s: "AppArmor is off",
    "aa-disable": lambda s: "an AppArmor profile is off" if s.texts else None,
    "aa-complain": lambda s: "an AppArmor profile stops enforcing" if s.texts else None,
    "mdatp": _word("disabled", detail="real-time protection is off"),
    "tccutil": _word("reset", detail="privacy permissions are reset"),
    "bcdedit": _word("testsigning", "nointegritychecks", detail="unsigned drivers may load"),
    "vssadmin": _word("delete", detail="it deletes shadow copies"),
    "wevtutil": _word("cl", "clear-log", detail="it clears the event log"),
    "netsh": _netsh,
    "set-mppreference": _powershell,
    "set-executionpolicy": _powershell,
    "set-netfirewallprofile": _powershell,
}  # fmt: skip


def _sees(sight: Sight) -> str | None:
    for target in sight.targets:
        if target.path.startswith(_SWITCHES) or target.path in _KERNEL_FILES:
            return f"`{shown(target.path)}` protects the machine"
    see = _BY_PROGRAM.get(sight.name)
    return see(sight) if see else None


PLATFORM_SECURITY = Guard(
    id="platform-security",
    reason="this switches off something that protects the machine",
    advice="open exactly what is needed, with the person's consent",
    sees=_sees,
    programs=frozenset(_BY_PROGRAM),
    writes=True,
)
