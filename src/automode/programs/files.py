"""Programs whose whole purpose is to change files: they read only when asked for help."""

from collections.abc import Mapping

from automode.programs.forms import Asked, Mostly
from automode.programs.use import Effect, Judge, Use, writes
from automode.shell.options import Spec

_WRITERS = {
    "deletes files": "rm rmdir unlink shred srm trash trash-put wipe",
    "creates files": "touch mkdir mkfifo mknod mktemp ln link install truncate fallocate",
    "copies or moves files": "cp mv gcp gmv ditto rename mmv pax",
    "changes owners or permissions": "chmod chown chgrp chattr setfacl setfattr setcap chflags",
    "writes its output to a file": "dd patch sponge",
    "rewrites files": "dos2unix unix2dos strip objcopy ranlib install_name_tool patchelf",
}
_DISKS = (
    "mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mke2fs mkswap fdisk sfdisk "
    "cfdisk gdisk sgdisk parted partprobe wipefs blkdiscard blockdev fsck e2fsck resize2fs "
    "pvremove vgremove lvremove pvcreate vgcreate lvcreate lvextend umount swapoff"
).split()

PROGRAMS: Mapping[str, Judge] = {
    **{name: Mostly(writes(why)) for why, names in _WRITERS.items() for name in names.split()},
    **dict.fromkeys(_DISKS, Mostly(Use(Effect.SYSTEM | Effect.WRITES, "changes disks"))),
    "sync": Mostly(Use(Effect.SYSTEM, "flushes disks")),
    "tune2fs": Asked(("-l",), Use(Effect.SYSTEM, "tunes a file system"), Spec(flags="l")),
}
