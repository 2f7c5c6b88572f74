"""automode: decides the tool calls of AI coding agents.

The public names are those of `automode.library`, loaded when they are asked for: hooks load this
module at every call. Their types stand in `__init__.pyi`.
"""

__all__ = ["Decision", "Gate", "ToolCall", "Usage", "Verdict", "decide", "screen"]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("automode")
    if name not in __all__:
        raise AttributeError(f"module `automode` has no attribute `{name}`")
    return getattr(__import__("automode.library", fromlist=[name]), name)
