"""Whether a person sits at the terminal of the agent that started this hook.

For agents that say it nowhere. An `ask` to nobody hangs, or is no question at all; so whatever
cannot be seen means that nobody is there. Only Linux shows enough of other processes.
"""

import posix

SHELLS = (b"sh", b"bash", b"dash", b"zsh", b"ash", b"ksh", b"busybox")
MOST_SHELLS = 4  # between an agent and its hook
TERMINALS = ("/dev/pts/", "/dev/tty")
LONGEST = 65_536  # bytes of a command line
UNATTENDED_MACHINES = (b"CI", b"GITHUB_ACTIONS")  # there these agents ask nobody anything


def person_there(alone: tuple[bytes, ...]) -> bool:
    """`alone`: options with which the agent takes one prompt and asks nobody."""
    try:
        agent = _agent()
        ends = [posix.readlink(f"/proc/{agent}/fd/{number}") for number in (0, 1)]
        words = _read(f"/proc/{agent}/cmdline").split(b"\0")
    except (OSError, ValueError, IndexError):
        return False
    if any(posix.environ.get(name) == b"true" for name in UNATTENDED_MACHINES):
        return False
    shown = all(end.startswith(TERMINALS) for end in ends)
    return shown and not any(_means(word, alone) for word in words)


def _means(word: bytes, alone: tuple[bytes, ...]) -> bool:
    """Short options may be written together, and with their value: `-yp TEXT`, `-pTEXT`."""
    name = word.partition(b"=")[0]
    letters = name[1:].partition(b" ")[0] if name[:1] == b"-" != name[1:2] else b""
    return name in alone or any(one[1:] in letters for one in alone if len(one) == 2)


def _agent() -> int:
    """The first process above this one that is no shell."""
    pid = posix.getppid()
    for _ in range(MOST_SHELLS):
        head, _, rest = _read(f"/proc/{pid}/stat").rpartition(b")")
        if head.partition(b"(")[2] not in SHELLS:
            break
        pid = int(rest.split()[1])
    return pid


def _read(path: str) -> bytes:
    file = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        return posix.read(file, LONGEST)
    finally:
        posix.close(file)
