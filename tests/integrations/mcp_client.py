"""A client of the official SDK: `python mcp_client.py WORD...`, where the words are a program to
start, or one address. Makes the call on each line of its input, and writes what it reads.

A program of its own, because whoever has calls decided is an agent from then on, and no person.
"""

import asyncio
import json
import sys
from importlib import import_module


def server(words: list[str]) -> object:
    if len(words) == 1:
        return words[0]
    stdio = import_module("mcp.client.stdio")
    parameters = stdio.StdioServerParameters(command=words[0], args=words[1:])
    found: object = stdio.stdio_client(parameters)
    return found


async def called(words: list[str]) -> None:
    async with import_module("mcp").Client(server(words)) as client:
        while line := await asyncio.to_thread(sys.stdin.readline):
            given = json.loads(line)
            result = await client.call_tool(given["tool"], given["input"])
            said = {"failed": result.is_error, "text": result.content[0].text}
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(called(sys.argv[1:]))
