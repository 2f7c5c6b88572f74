"""`automode mcp-proxy`: gates an MCP server for any client."""

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from urllib.parse import urlsplit

import click

from automode.cli.daemon import placement_of
from automode.cli.options import Surroundings, settings_options
from automode.core.errors import BadCall
from automode.proxy.asking import Asking

_ODD = re.compile(r"[^\w-]+")
_HEADER = re.compile(r"([!#$%&'*+.^`|~\w-]+): ?([^\r\n\0]*)")
_VARIABLE = re.compile(r"\$\{(\w+)\}")


@click.command(
    "mcp-proxy",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option("--url", metavar="URL", help="The server speaks streamable HTTP at URL.")
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="With --url: a header for the server. `${NAME}` in it is a variable of the environment.",
)
@click.option("--name", metavar="NAME", help="What rules call the server: mcp__NAME__tool.")
@click.option("--unattended", is_flag=True, help="Nobody is there: ask becomes deny.")
@settings_options
@click.argument("command", metavar="[-- COMMAND [ARGS]...]", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def mcp_proxy(
    surroundings: Surroundings,
    command: tuple[str, ...],
    url: str | None,
    headers: tuple[str, ...],
    name: str | None,
    *,
    unattended: bool,
) -> None:
    """Start an MCP server with the gate in front of it, for any client.

    \b
      automode mcp-proxy --name files -- npx -y @modelcontextprotocol/server-filesystem .
      automode mcp-proxy --name wiki --url https://wiki.example.com/mcp

    Write this in the client's settings where the server's own command stands. Each `tools/call` is
    decided before the server sees it, each result is screened before the client does; everything
    else passes as it is. Where nothing can be decided a call does not run.
    """
    if (url is None) == (not command):
        raise BadCall("name one server: a command behind `--`, or --url", "see --help")
    if url is None and headers:
        raise BadCall("--header goes with --url", "leave it out")
    placement = placement_of(surroundings)
    usual = os.path.basename(command[0]) if url is None else urlsplit(url).hostname
    server = _ODD.sub("-", name or usual or "").strip("-") or "server"
    asking = Asking(placement, attended=not unattended)
    sys.exit(asyncio.run(_serve(command, url, _headers(headers), server, asking)))


async def _serve(
    command: tuple[str, ...],
    url: str | None,
    headers: Mapping[str, str],
    server: str,
    asking: Asking,
) -> int:
    from automode.proxy.checkpoint import Checkpoint

    checkpoint = Checkpoint(asking, server, os.getcwd())
    if url is None:
        from automode.proxy.stdio import relay

        status = await relay(command, checkpoint)
        return 128 - status if status < 0 else status  # as a shell says it of a signal
    from automode.proxy.http import bridge

    return await bridge(_server_url(url), headers, checkpoint)


def _server_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadCall(
            f"no address of a server: `{url[:200]}`", "it begins with http:// or https://"
        )
    return url


def _headers(given: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        parts = _HEADER.fullmatch(one)
        if parts is None:
            raise BadCall(
                "a --header without a name and a value",
                "write it like 'Authorization: Bearer ${KEY}'",
            )
        found[parts[1].lower()] = _VARIABLE.sub(_variable, parts[2])
    return found


def _variable(found: re.Match[str]) -> str:
    if found[1] not in os.environ:
        raise BadCall(f"no variable `{found[1]}` for a --header", "set it where the client starts")
    return os.environ[found[1]]
