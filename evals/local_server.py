"""A llama.cpp server in this process, on a file of weights whose checksum is known."""

import hashlib
import json
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

QWEN_SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
"""Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, as its makers publish it."""

_BLOCK = 1 << 22


@dataclass(frozen=True, slots=True)
class LocalServer:
    """`keep` holds the server: it ends when it is let go."""

    address: str
    folder: Path  # where the state of a read prompt can be kept
    keep: object

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def recall(self, name: str) -> bool:
        """Whether the state of that name was there and is loaded."""
        return (self.folder / name).exists() and self._slot("restore", name)

    def remember(self, name: str) -> bool:
        return self._slot("save", name)

    def _slot(self, action: str, name: str) -> bool:
        request = urllib.request.Request(
            f"{self.address}/slots/0?action={action}",
            json.dumps({"filename": name}).encode(),
            {"content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request) as response:
                return bool(response.status == 200)
        except urllib.error.URLError:
            return False


def checked(path: Path, sha256: str) -> Path:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    if digest.hexdigest() != sha256:
        sys.exit(f"{path}: the SHA-256 is {digest.hexdigest()}, expected {sha256}")
    return path


def serve(path: Path, context_tokens: int, threads: int) -> LocalServer:
    # It comes without types, and only this file needs it.
    import xllamacpp  # type: ignore[import-untyped]

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1  # one slot: every request finds the prefix of the one before
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.port = 0
    parameters.verbosity = 0
    parameters.slot_save_path = f"{path.parent}/"
    server = xllamacpp.Server(parameters)
    return LocalServer(server.listening_address, path.parent, server)
