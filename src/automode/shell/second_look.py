"""A second look at text: what bash evaluates although the script holds it as text."""

from abc import abstractmethod
from dataclasses import replace

from automode.shell.evaluated import evaluated_texts, later_scripts, runs_something, subscripted
from automode.shell.frame import DEPTH_LIMIT, Frame, Listing
from automode.shell.script import HOLE, Command
from automode.shell.state import State

UNKNOWN_PART = "${__unknown}"
"""A variable nobody has set: a part that is not known stays unknown in the inner reading."""

_MARKER = "END_OF_TEXT"


class SecondLook(Listing):
    """The part of the walk that lists what text would run. It proves danger and nothing else."""

    @abstractmethod
    def read(self, text: str, state: State, frame: Frame) -> None:
        """Walks a script given as text."""

    def hazard(self, why: str, text: str, state: State, frame: Frame) -> None:
        """Bash evaluates `text` and the variables it names: whatever the script holds that would
        run a command then is looked into."""
        self.gap(why)
        self.evaluates = True
        for one in (text, *self.held):
            self.again(one, state, frame)

    def again(self, text: str, state: State, frame: Frame) -> None:
        """Lists the commands that run when bash expands `text` a second time."""
        if text in self.looked or not runs_something(text):
            return
        self.looked.add(text)
        if frame.depth > DEPTH_LIMIT:
            self.gap("texts are nested too deeply")
            return
        inside = Frame(via=frame.via, remote=frame.remote, elevated=frame.elevated,
                       depth=frame.depth + 1)  # fmt: skip
        # Between the lines of a here-document quotes are text, but for those inside `${…}`.
        for body in dict.fromkeys((text, text.replace("'", " "))):
            self.budget.script()
            self.read(_expanded(body), state.copy(), inside)

    def evaluated(self, command: Command, state: State, frame: Frame) -> None:
        """What of a command is evaluated although it is written as text."""
        fed_texts = [redirect.target for redirect in command.redirects if redirect.feeds]
        values = [assignment.value for assignment in command.assignments]
        for word in (*command.args, *values, *fed_texts):
            if subscripted(word.text):
                self.held.setdefault(word.text)
                if self.evaluates:
                    self.again(word.text, state, frame)
        for text in evaluated_texts(command):
            self.hazard("text is evaluated by the shell a second time", text, state, frame)
        for script in later_scripts(command):
            self.gap("text is kept to be run as a script later")
            self.budget.script()
            text = script.text.replace(HOLE, UNKNOWN_PART)
            self.read(text, state.copy(), replace(frame, depth=frame.depth + 1))


def _expanded(text: str) -> str:
    """A script that expands the text, and runs what is substituted in it."""
    body = text.replace("<(", "$(").replace(">(", "$(").replace(_MARKER, "")
    return f": <<{_MARKER}\n{body.replace(HOLE, UNKNOWN_PART)}\n{_MARKER}\n"
