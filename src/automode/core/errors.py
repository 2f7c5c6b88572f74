"""The errors a person can meet.

AutomodeError
├── BadCall       a tool call that cannot be read
├── BadSettings   a configuration that cannot be used at all
└── BadPattern    a permission pattern that cannot be read
"""


class AutomodeError(Exception):
    """`str()` is one lower-case sentence with the value in backticks; `hint` says the way out."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class BadCall(AutomodeError):
    pass


class BadSettings(AutomodeError):
    pass


class BadPattern(AutomodeError):
    pass
