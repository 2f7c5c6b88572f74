from automode.library import Decision, Gate, ToolCall, Verdict, decide, screen

__all__ = ["Decision", "Gate", "ToolCall", "Verdict", "decide", "screen"]
