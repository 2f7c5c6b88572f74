from automode.library import Decision, Gate, ToolCall, Usage, Verdict, decide, screen

__version__: str

__all__ = ["Decision", "Gate", "ToolCall", "Usage", "Verdict", "decide", "screen"]
