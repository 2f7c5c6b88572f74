"""An agent for tests, started as a program of its own: it has hooks, and tools that run what they
are told to.

    python standin.py SOCKET

Every line on standard input is a role and a request in hex: the role sends it to the daemon, and
what comes back is printed in hex. The roles are started as Claude Code starts them.
"""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path


def ask(path: str, request: str) -> bytes:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        line.sendall(bytes.fromhex(request))
        got = b""
        while part := line.recv(65536):
            got += part
            if b"}" in got or b"AM1 0 0 0" in got or b"AM1 refused" in got:
                break
        return got


LOOSE = """
import os, sys
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
os.execve(sys.argv[1], sys.argv[1:], {})
"""
HOOK = {"CLAUDE_PROJECT_DIR": "/", "CLAUDE_PID": "1"}
TOOL = {"CLAUDE_PID": "1", "CLAUDE_CODE_EXECPATH": "/", "GIT_EDITOR": "true"}


class StandIn:
    def __init__(self, path: str) -> None:
        self.path = path

    def hook(self, request: str, variables: dict[str, str] = HOOK) -> bytes:
        done = subprocess.run(
            self.shell(request), capture_output=True, env=self.given(variables), check=True
        )
        return done.stdout

    def project(self, request: str) -> bytes:
        """A hook to which settings of the project have given a key."""
        return self.hook(request, HOOK | {"ANTHROPIC_API_KEY": "sekret-of-the-project"})

    def tool(self, request: str) -> bytes:
        """A script of a script, which gives itself the variables of a hook."""
        inner = ["env", *(f"{name}={value}" for name, value in HOOK.items())]
        return self.printed(["sh", "-c", '"$@"; true', "sh", *inner, *self.shell(request)], TOOL)

    def loose(self, request: str) -> bytes:
        """One that nobody holds on to, and that knows of no agent."""
        return self.printed([sys.executable, "-c", LOOSE, *self.words(request)], {})

    def itself(self, request: str) -> bytes:
        return ask(self.path, request)

    def words(self, request: str) -> list[str]:
        return [sys.executable, __file__, self.path, request]

    def shell(self, request: str) -> list[str]:
        return ["/bin/sh", "-c", '"$@"; true', "sh", *self.words(request)]

    def given(self, variables: dict[str, str]) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], **variables}

    def printed(self, words: list[str], variables: dict[str, str]) -> bytes:
        """What a tool prints goes to a file. It is complete when nobody has that open to write."""
        with tempfile.TemporaryDirectory() as folder:
            fifo, output = Path(folder, "done"), Path(folder, "output")
            os.mkfifo(fifo)
            done = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
            held = os.open(fifo, os.O_WRONLY)
            with (
                output.open("wb") as file,
                subprocess.Popen(
                    words, stdout=file, env=self.given(variables), pass_fds=[held]
                ) as process,
            ):
                os.close(held)
                process.wait()
                os.set_blocking(done, True)
                os.read(done, 1)
                os.close(done)
            return output.read_bytes()


if __name__ == "__main__":
    if len(sys.argv) > 2:  # one of its processes
        sys.stdout.buffer.write(ask(*sys.argv[1:]))
        sys.exit()
    agent = StandIn(sys.argv[1])
    ROLES = {
        "hook": agent.hook,
        "project": agent.project,
        "tool": agent.tool,
        "loose": agent.loose,
        "itself": agent.itself,
    }
    for asked in sys.stdin:
        role, request = asked.split()
        sys.stdout.write(f"{ROLES[role](request).hex() or '-'}\n")
        sys.stdout.flush()
