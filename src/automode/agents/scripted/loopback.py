"""An HTTP server on loopback, in a thread of its own: what scripted servers are built on."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Self

LOOPBACK = "127.0.0.1"
_LOOKS_SECONDS = 0.02  # how often it looks whether it is to end


class LoopbackServer(ThreadingHTTPServer):
    """Use as a context manager. It takes a free port."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__((LOOPBACK, 0), handler)

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, args=(_LOOKS_SECONDS,), daemon=True).start()
        return self

    def __exit__(self, *trouble: object) -> None:
        self.shutdown()
        self.server_close()

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}"


class LoopbackHandler(BaseHTTPRequestHandler):
    """Keeps connections, as the servers do that it stands for."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or every kept connection waits for an acknowledgement

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def send(
        self, body: bytes = b"", kind: str = "application/json", status: int = 200, **headers: str
    ) -> None:
        """An answer. Names of headers are written with `_` for `-`."""
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # a client that was stopped does not wait for the end
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        pass
