"""One question to the daemon, from the agent's payload to the answer, over the wire of `daemon`."""

import _blake2
import _socket
import posix
import time

VERSION = "0.1.0"
HEARD_SECONDS = 2.0  # a daemon says at once that it heard; one that does not is stuck
FIRST_HEARD_SECONDS = 10.0  # one that has only just started may have others to hear first
START_SECONDS = 15.0
MARGIN_MS = 300  # what the daemon has less than this process, to bring its answer home
LONGEST_PAYLOAD = 16 * 1024 * 1024
LONGEST_ANSWER = 1024 * 1024
LONGEST_LINE = 512

HANDED_OVER = (b"AUTOMODE_SETTINGS_JSON", b"PI_AUTOMODE_SETTINGS_JSON", b"AUTOMODE_RUN")
FOLDER, SOCKET, FILE, KIND, OTHERS = 0o040000, 0o140000, 0o100000, 0o170000, 0o077
STUCK = "the daemon does not answer; run: automode daemon restart"
RUBBISH = "the daemon's answer cannot be read; run: automode daemon restart"


class Closing(Exception):
    """Nothing can be decided. `closing` tells the agent and the person why, and the way out; it
    stands in a JSON string as it is."""

    def __init__(self, closing: str) -> None:
        super().__init__(closing)
        self.closing = closing


class Lost(Exception):
    """The daemon went away in the middle: another one may do better."""


class Refused(Exception):
    """The daemon will not answer this hook."""


class HookQuestion:
    __slots__ = ("fresh", "moment", "options", "sender", "until")

    def __init__(self, sender: str, moment: str, options: dict[str, str], until: float) -> None:
        self.sender, self.moment, self.options, self.until = sender, moment, options, until
        self.fresh = False

    def answer(self) -> tuple[int, bytes, bytes]:
        """Exit status, standard output and standard error of the hook."""
        self.enter()
        payload = _payload()
        for attempt in range(3):
            if attempt:
                time.sleep(0.05)  # a dying daemon's socket still takes calls for a moment
            line = dial() or self.start_daemon()
            if line is None:
                return self.alone(payload)
            try:
                return self.ask(line, payload)
            except Lost:
                line.close()
            except Refused:
                return self.alone(payload)
        raise Closing("the daemon broke off again and again; see daemon.log in the state folder")

    def enter(self) -> None:
        """Every later name is looked up in the very folder that is checked here."""
        everybodys = self.options["--state"].startswith("~/")
        for name in ("--state", "--config"):
            if self.options[name].startswith("~/"):
                self.options[name] = _home() + self.options[name][1:]
        path = self.options["--state"]
        if not path.startswith("/"):
            raise Closing("the hook is installed without a state folder; install it again")
        what = f"the state folder {_plain(path)}"
        flags = posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC
        try:
            try:
                folder = posix.open(path, flags)
            except FileNotFoundError:
                if not everybodys:
                    raise
                _make_folder(path)
                folder = posix.open(path, flags)
        except OSError:
            hint = "run: automode daemon start"
            raise Closing(f"{what} is missing or cannot be read; {hint}") from None
        _require_own(posix.fstat(folder), FOLDER, what)
        posix.fchdir(folder)
        posix.close(folder)

    def ask(self, line: _socket.socket, payload: bytes) -> tuple[int, bytes, bytes]:
        left = max(int(self.left() * 1000) - MARGIN_MS, 1)
        variables = told_variables()
        length = len(payload) + len(variables)
        words = f"{self.sender} {self.moment} {self.token()} {left} {length} {VERSION}"
        words += f" {self.settings()}" + (f" {len(variables)}" if variables else "")
        line.settimeout(FIRST_HEARD_SECONDS if self.fresh else HEARD_SECONDS)
        try:
            line.sendall(f"AM1 hook {words}\n".encode("ascii") + payload + variables)
            first, rest = _first_line(line, b"")
            if first == b"AM1 heard":
                line.settimeout(None)  # from here on only the deadline ends the waiting
                first, rest = _first_line(line, rest)
            return _reply(line, first, rest)
        except TimeoutError:
            raise Closing(STUCK) from None
        except ConnectionError:
            raise Lost from None

    def settings(self) -> str:
        """How the wire names this hook's settings: a daemon that serves others is not to decide."""
        given = self.options["--config"]
        folder = (given.rstrip("/") or given).encode("utf-8", "surrogateescape")
        return _blake2.blake2b(folder, digest_size=16).hexdigest() if folder else "-"

    def token(self) -> str:
        name = "tokens/prompt" if self.moment == "prompt" else "tokens/decide"
        try:
            file = posix.open(name, posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_CLOEXEC)
        except OSError:
            raise Closing(f"{name} in the state folder cannot be read") from None
        _require_own(posix.fstat(file), FILE, name)
        text = posix.read(file, 256).strip()
        posix.close(file)
        if not text.isalnum():
            raise Closing(f"{name} in the state folder holds no token")
        return text.decode("ascii")

    def start_daemon(self) -> _socket.socket | None:
        """A connection to a daemon that was not there before; None where there is none to be had.
        A moment that waits for no answer needs no decision either."""
        from automode.hook import starting

        self.fresh = True
        seconds = min(START_SECONDS, self.left() / 2)
        command = starting.daemon_command(self.options)
        try:
            line = starting.wait_for_daemon(dial, command, seconds)
        except OSError:
            line = None
        if line is None and self.moment != "proposed":
            raise Closing("no daemon runs, and none could be started; see daemon.log")
        return line

    def alone(self, payload: bytes) -> tuple[int, bytes, bytes]:
        from automode.hook import starting

        command = starting.alone_command(self.options, self.sender, self.moment)
        try:
            line = starting.decided_alone(command, payload, told_variables(), self.left())
            first, rest = _first_line(line, b"")
            return _reply(line, first, rest)
        except (Lost, Refused, OSError):
            trouble = "no daemon answers, and deciding without one failed"
            raise Closing(f"{trouble}; see daemon.log in the state folder") from None

    def left(self) -> float:
        return max(self.until - time.monotonic(), 0.001)


def told_variables() -> bytes:
    """The agent's variables that the daemon is told, as the wire carries them."""
    environ = posix.environ
    return b"\0".join(name + b"=" + environ[name] for name in HANDED_OVER if environ.get(name))


def _home() -> str:
    """The account's own, as the system knows it: an administrator's hook is one for all accounts,
    and an agent's environment may say anything."""
    import pwd

    try:
        return pwd.getpwuid(posix.geteuid()).pw_dir.rstrip("/")
    except KeyError:
        raise Closing("this account has no home folder, so automode has no state folder") from None


def _make_folder(path: str) -> None:
    """An administrator's hook is one for all accounts: nobody has made the folder of an account
    that never typed `automode`. A daemon puts into it what a hook needs."""
    at = path.find("/", 1)
    while at != -1:
        at = path.find("/", at + 1)
        try:
            posix.mkdir(path if at == -1 else path[:at], 0o700)
        except FileExistsError:
            continue


def dial() -> _socket.socket | None:
    """A connection to the daemon; None where nobody listens."""
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    line.settimeout(HEARD_SECONDS)
    patience = time.monotonic() + HEARD_SECONDS
    while True:
        try:
            _require_own(
                posix.lstat("daemon.sock"), SOCKET, "daemon.sock in the state folder", others=0
            )
            line.connect("daemon.sock")
        except (FileNotFoundError, ConnectionRefusedError):
            line.close()
            return None
        except BlockingIOError:  # more hooks are waiting than the daemon lets queue
            if time.monotonic() > patience:
                raise Closing(STUCK) from None
            time.sleep(0.02)
        else:
            return line


def _require_own(status: posix.stat_result, kind: int, what: str, *, others: int = OTHERS) -> None:
    if status.st_uid != posix.geteuid():
        raise Closing(f"{what} belongs to another account")
    if status.st_mode & KIND != kind:
        raise Closing(f"{what} is not the kind of file that it should be; move it away")
    if status.st_mode & others:
        raise Closing(f"{what} is open to other accounts; check it, then run chmod go= on it")


def _payload() -> bytes:
    parts, length = [], 0
    while True:
        try:
            part = posix.read(0, 65536)
        except BlockingIOError:
            time.sleep(0.005)
            continue
        parts.append(part)
        length += len(part)
        if length > LONGEST_PAYLOAD:
            raise Closing(f"the call is larger than {LONGEST_PAYLOAD} bytes")
        if not part:
            return b"".join(parts)


def _first_line(line: _socket.socket, data: bytes) -> tuple[bytes, bytes]:
    """The first line that arrives after `data`, and what came behind it."""
    while b"\n" not in data:
        if len(data) > LONGEST_LINE:
            raise Closing(RUBBISH)
        data += _more(line)
    first, _, rest = data.partition(b"\n")
    return first, rest


def _reply(line: _socket.socket, head: bytes, data: bytes) -> tuple[int, bytes, bytes]:
    if head.startswith(b"AM1 refused "):
        raise Refused
    words = head.split(b" ")
    sound = len(words) == 4 and words[0] == b"AM1" and words[1] in (b"0", b"2")
    if not sound or not all(word.isdigit() and len(word) < 8 for word in words[2:]):
        raise Closing(RUBBISH)
    out, err = int(words[2]), int(words[3])
    if out + err > LONGEST_ANSWER:
        raise Closing(RUBBISH)
    while len(data) < out + err:
        data += _more(line)
    if len(data) > out + err or (out and not data.startswith(b"{")):
        raise Closing(RUBBISH)
    return int(words[1]), data[:out], data[out:]


def _more(line: _socket.socket) -> bytes:
    part = line.recv(65536)
    if not part:
        raise Lost
    return part


def _plain(text: str) -> str:
    """`text` as it can stand in a JSON string and on a terminal."""
    return "".join(one if " " <= one <= "~" and one not in '"\\' else "?" for one in text)[:200]
