"""What would go on running, or come back, after the session is over."""

from collections.abc import Mapping

from automode.guards.floor.profiles import below_home, both
from automode.guards.guard import Guard, See, Sight, shown, words


def _crontab(sight: Sight) -> str | None:
    texts = sight.texts
    if any(text in ("-l", "--help", "-h", "-V", "-T", "-lu", "-ul") for text in texts):
        return None
    fed = sight.command.position or any(r.op.startswith("<") for r in sight.command.redirects)
    return "it changes the table of scheduled jobs" if texts or fed else None


def _at(sight: Sight) -> str | None:
    if any(text in ("-l", "-V", "-c", "--help") for text in sight.texts):
        return None
    return "it plans a job for later" if sight.texts or sight.name == "batch" else None


_UNIT_VERBS = words("enable disable mask unmask link edit preset add-wants add-requires reenable"
                    " set-default revert set-property")  # fmt: skip


def _systemctl(sight: Sight) -> str | None:
    verb = next((text for text in sight.texts if text in _UNIT_VERBS), None)
    return f"`systemctl {verb}` changes what starts by itself" if verb else None


def _systemd_run(sight: Sight) -> str | None:
    timed = any(text.startswith(("--on-", "--timer-property")) for text in sight.texts)
    return "it sets up a timer" if timed else None


_LAUNCHCTL = words("load bootstrap enable submit disable unload bootout")


def _launchctl(sight: Sight) -> str | None:
    verb = sight.texts[0] if sight.texts else ""
    return f"`launchctl {verb}` changes what starts by itself" if verb in _LAUNCHCTL else None


def _osascript(sight: Sight) -> str | None:
    low = " ".join(sight.texts).casefold()
    made = "login item" in low and ("make" in low or "delete" in low)
    return "it changes the login items" if made else None


def _listing(*reading: str) -> See:
    def sees(sight: Sight) -> str | None:
        if not sight.texts or any(text in reading for text in sight.texts):
            return None
        return f"`{sight.name}` changes what starts by itself"

    return sees


def _schtasks(sight: Sight) -> str | None:
    low = [text.casefold().replace("//", "/") for text in sight.texts]
    return "it plans a task" if {"/create", "/change", "/run"} & set(low) else None


def _reg(sight: Sight) -> str | None:
    low = [text.casefold() for text in sight.texts]
    starts = any("\\run" in text or "\\winlogon" in text for text in low)
    return (
        "it adds a program to those that start by themselves" if "add" in low and starts else None
    )


_BY_PROGRAM: Mapping[str, See] = {
    "crontab": _crontab,
    "at": _at,
    "batch": _at,
    "systemctl": _systemctl,
    "systemd-run": _systemd_run,
    "launchctl": _launchctl,
    "osascript": _osascript,
    "update-rc.d": _listing("--help"),
    "chkconfig": _listing("--list"),
    "rc-update": _listing("show", "-h", "--help"),
    "schtasks": _schtasks,
    "reg": _reg,
    "loginctl": lambda sight: "it lets services run on" if "enable-linger" in sight.texts else None,
}


def _sees_job(sight: Sight) -> str | None:
    for target in sight.targets:
        if any(_starts_by_itself(path, sight) for path in both(target)):
            return f"`{shown(target.path)}` starts by itself"
    see = _BY_PROGRAM.get(sight.name)
    return see(sight) if see else None


_SYSTEM = (
    "/etc/cron", "/var/spool/cron", "/var/spool/at", "/etc/anacrontab", "/etc/systemd/",
    "/usr/lib/systemd/", "/lib/systemd/", "/run/systemd/", "/etc/init.d/", "/etc/rc.local",
    "/etc/rc.common", "/usr/local/etc/rc.d/",
    "/etc/rc.d/", "/etc/rc0.d/", "/etc/init/", "/etc/inittab", "/etc/udev/rules.d/",
    "/lib/udev/rules.d/", "/usr/lib/udev/rules.d/", "/etc/ld.so.preload", "/etc/ld.so.conf",
    "/etc/xdg/autostart/", "/library/launchdaemons/", "/library/launchagents/",
    "/system/library/launchdaemons/", "/etc/modules-load.d/", "/etc/update-motd.d/",
    "/etc/apt/apt.conf.d/", "/etc/networkmanager/dispatcher.d/", "/etc/dbus-1/",
    "/library/startupitems/", "/etc/modprobe.d/", "/etc/periodic/",
)  # fmt: skip
_HOME = (
    ".config/systemd/user", ".local/share/systemd/user", ".config/autostart",
    "library/launchagents", ".config/plasma-workspace/env", "library/launchdaemons",
    "appdata/roaming/microsoft/windows/start menu/programs/startup",
)  # fmt: skip


def _starts_by_itself(path: str, sight: Sight) -> bool:
    if path.casefold().startswith(_SYSTEM):
        return True
    rest = below_home(path, sight)
    return rest is not None and rest.startswith(_HOME)


SCHEDULED_JOB = Guard(
    id="scheduled-job",
    reason="this makes something run by itself, now or later, or keeps it from doing so",
    advice="run it in this session, or show the person what to install",
    sees=_sees_job,
    programs=frozenset(_BY_PROGRAM),
    writes=True,
)
