"""A scene with a person elsewhere, who answers by a button on the phone."""

from collections.abc import Mapping
from threading import Thread

from automode.agents.scripted.wire import saying, using
from conformance.failing import expect
from conformance.scripted_ntfy import NtfyServer, press
from conformance.trial import Trial

TOPIC = "a-secret-topic"
HOLD_SECONDS = 60


def phone_answers(trial: Trial) -> None:
    """With nobody in front of the agent: a yes lets the call run, a no does not, and the run goes
    on after both."""
    trial.agreed.add("asked-2")

    def read(message: Mapping[str, object]) -> None:
        if message["topic"] == TOPIC:
            label = "Allow once" if "asked-2" in str(message["message"]) else "Deny"
            Thread(target=press, args=(message, label), daemon=True).start()

    with NtfyServer(on_message=read) as server:
        trial.settings(asks={"hold": HOLD_SECONDS, "notify": [server.address(TOPIC)]})
        trial.install()  # how long a hook waits goes by the setting
        shell = trial.agent.shell
        names = ("allowed-1", "asked-2", "asked-3", "allowed-4")
        trial.model.plays(*(using(shell(f"touch {name}")) for name in names), saying("done"))

        ran = trial.run()

        told = [str(one["message"]) for one in server.messages(TOPIC)]
    expect(trial.ran("allowed-1"), f"the allowed call did not run: {ran.err[-500:]}")
    expect(len(told) == 2, f"the phone was told of {len(told)} calls: {told}")
    expect("touch asked-2" in told[0], f"the message does not say what is asked: `{told[0]}`")
    expect(trial.ran("asked-2"), f"it did not run after a yes: {trial.model.results()}")
    went_on = trial.ran("allowed-4") or not trial.agent.goes_on
    expect(went_on, f"the run did not go on: {trial.model.results()}")
    sources = [one.source for one in trial.records()]
    expect("approval" in sources, f"the yes is not on record: {sources}")
    expect("person.decline" in sources, f"the no is not on record: {sources}")
