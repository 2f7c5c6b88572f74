"""What lies below a folder, as a short text that changes with anything there."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from automode.classifier.named_files import status_stamp


@dataclass(frozen=True, slots=True)
class FolderStamp:
    text: str
    entries: int  # that were looked at


def folder_stamp(folder: str, most: int) -> FolderStamp | None:
    """None for a folder with more than `most` entries below it, or that cannot be looked through:
    what was not seen cannot be told to be the same.

    Files count by name, size, times and inode. To read them all would take many times longer, and
    a time that was set back shows in the time of that change, which no program can choose."""
    found: list[str] = []
    try:
        for line in _below(folder):
            if len(found) == most:
                return None
            found.append(line)
    except (OSError, ValueError):
        return None
    text = "\0\0".join(sorted(found)).encode("utf-8", "surrogatepass")
    return FolderStamp(hashlib.sha256(text).hexdigest(), len(found))


def _below(folder: str) -> Iterator[str]:
    folders = [folder]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                # What git keeps there is named by its content, and found by what lies beside it.
                if entry.is_dir(follow_symlinks=False) and not entry.path.endswith("/.git/objects"):
                    folders.append(entry.path)
                yield f"{entry.path}\0{_entry(entry)}"


def _entry(entry: "os.DirEntry[str]") -> str:
    found = entry.stat(follow_symlinks=False)
    if entry.is_dir(follow_symlinks=False):
        # Its times also change with what is there for a moment only, such as a lock of `git
        # status`. What stays is seen by its own name.
        return f"{found.st_dev}:{found.st_ino}:{found.st_mode}"
    if entry.is_symlink():
        return f"{status_stamp(found)}\0{_led_to(entry)}"
    return status_stamp(found)


def _led_to(link: "os.DirEntry[str]") -> str:
    """Programs read files through links, also from outside; into folders behind them nobody goes
    here, because they can lead anywhere."""
    try:
        return status_stamp(link.stat()) if link.is_file() else os.readlink(link.path)
    except FileNotFoundError:
        return "missing"
