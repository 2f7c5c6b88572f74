"""Overwriting disks: file systems, partition tables, raw writes to block devices."""

from collections.abc import Mapping

from automode.guards.guard import Guard, See, Sight, shown, words
from automode.shell.script import HOLE

_DISKS = (
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "dm-", "md", "sr",
    "ada", "da", "nvd", "zvol/", "nbd", "root", "block/", "sg",
)  # fmt: skip
_MEMORY = words("mem kmem port")
_LETTERED = words("sd hd vd xvd")


def is_device(path: str) -> bool:
    """Whether an absolute path names a disk, a part of one, or the machine's memory."""
    if path.startswith("\\\\.\\physicaldrive") or path.casefold().startswith("//./physicaldrive"):
        return True
    if not path.startswith("/dev/"):
        return False
    name = path[len("/dev/") :].casefold()
    if name in _MEMORY:
        return True
    return any(name.startswith(disk) and _rest(disk, name[len(disk) :]) for disk in _DISKS)


def _rest(disk: str, rest: str) -> bool:
    """Whether `rest` goes on as names of that kind do: `sda1`, `nvme0n1p2`, `mapper/data`."""
    if disk.endswith(("/", "-", "root")) or (disk == "disk" and rest.startswith("/")):
        return True
    if disk in _LETTERED:
        return rest[:1].isalpha() and len(rest) <= 5 and _ends_in_digits(rest)
    return (rest[:1].isdigit() and set(rest) <= set("0123456789nps")) or HOLE in rest


def _ends_in_digits(rest: str) -> bool:
    letters = rest.rstrip("0123456789")
    return (letters.isalpha() and len(letters) <= 2) or HOLE in rest


def _device_word(sight: Sight) -> str | None:
    """The first argument that is a disk; options may have their value glued on."""
    for text in sight.texts:
        path = text.partition("=")[2] if text.startswith("-") else text
        if is_device(path):
            return f"`{shown(path)}` is a disk"
    return None


def _partitioner(*reading: str) -> See:
    """A program that changes the disks it is given unless one of `reading` is among its words."""

    def sees(sight: Sight) -> str | None:
        if any(text in reading for text in sight.texts):
            return None
        return _device_word(sight)

    return sees


def _when(*changing: str) -> See:
    """A program that changes the disks it is given when one of `changing` is among its words."""

    def sees(sight: Sight) -> str | None:
        low = [text.casefold() for text in sight.texts]
        return _device_word(sight) if any(word in low for word in changing) else None

    return sees


def _words(*verbs: str) -> See:
    """A program for which the verb alone is enough: its disks have names of their own."""

    def sees(sight: Sight) -> str | None:
        low = [text.casefold() for text in sight.texts]
        verb = next((word for word in low if word in verbs), None)
        return f"`{verb}` destroys what is on the disk" if verb and len(low) > 1 else None

    return sees


def _hdparm(sight: Sight) -> str | None:
    erases = any(
        text.startswith(("--security-erase", "--trim-sector", "--make-bad", "--write-sector"))
        for text in sight.texts
    )
    return _device_word(sight) if erases else None


def _format(sight: Sight) -> str | None:
    """`format D: /fs:NTFS`, as cmd spells it."""
    drive = next((t for t in sight.texts if len(t) in (2, 3) and t[1:2] == ":"), None)
    return f"`{drive}` is a drive" if drive and drive[0].isalpha() else None


_LIST = ("-l", "--list", "-x", "-s", "--show-size", "-V", "--version", "--help", "-d", "--dump",
         "-J", "--json", "-F")  # fmt: skip
_BY_PROGRAM: Mapping[str, See] = {
    "wipefs": _when("-a", "--all", "-o", "--offset", "-af", "-fa", "--force", "-f"),
    "blkdiscard": _partitioner("--help", "--version"),
    "fdisk": _partitioner(*_LIST),
    "cfdisk": _partitioner("--help"),
    "sfdisk": _partitioner(*_LIST),
    "gdisk": _partitioner(*_LIST),
    "sgdisk": _partitioner("-p", "--print", "-i", "--info", "-v", "--verify", "-b", "--backup"),
    "parted": _partitioner("print", "p", "-l", "--list", "unit", "--help", "align-check"),
    "mkswap": _partitioner("--help"),
    "mke2fs": _partitioner("-n", "-V"),
    "newfs": _partitioner("-N"),
    "newfs_apfs": _partitioner("-N"),
    "newfs_hfs": _partitioner("-N"),
    "mkdosfs": _partitioner("--help"),
    "mkntfs": _partitioner("--help"),
    "pvcreate": _partitioner("--help", "-t", "--test"),
    "pvremove": _partitioner("--help", "-t", "--test"),
    "shred": _partitioner("--help", "--version"),
    "cryptsetup": _when("luksformat", "erase", "luksErase".casefold(), "reencrypt", "format"),
    "badblocks": _when("-w", "-wsv", "-wv", "-ws", "-svw"),
    "mdadm": _when("--zero-superblock", "--create", "-c"),
    "nvme": _when("format", "sanitize", "write-zeroes", "write", "delete-ns"),
    "hdparm": _hdparm,
    "diskutil": _words(
        "erasedisk", "erasevolume", "partitiondisk", "reformat", "zerodisk", "randomdisk",
        "secureerase", "deletecontainer", "deletevolume",
    ),
    "zpool": _words("destroy", "labelclear"),
    "lvremove": _partitioner("--help", "-t", "--test"),
    "vgremove": _partitioner("--help", "-t", "--test"),
    "format": _format,
}  # fmt: skip


def _sees(sight: Sight) -> str | None:
    for target in sight.targets:
        if is_device(target.path) or is_device(target.resolved):
            return f"`{shown(target.path)}` is a disk"
    name = sight.name
    if name.startswith("mkfs"):
        return _partitioner("-n", "-V", "--help")(sight)
    see = _BY_PROGRAM.get(name)
    return see(sight) if see else None


WIPE_DEVICE = Guard(
    id="wipe-device",
    reason="this overwrites a disk",
    advice="work on an image file, or ask the person to do it",
    sees=_sees,
    programs=frozenset(_BY_PROGRAM),
    writes=True,
    everywhere=True,
    remote=True,
)
