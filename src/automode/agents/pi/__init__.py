"""Pi, asked by an extension that runs inside it."""

from automode.agents.agent import Agent, Disarming, OwnPaths
from automode.agents.pi.payloads import Pi

AGENT = Agent(
    Pi,
    "Pi",
    "pi",
    packages=("@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"),
    oldest="0.73.1",
    update="pi update",
    paths=OwnPaths(
        home_files=(".pi/agent/automode.json", ".pi/agent/settings.json"),
        home_folders=(".pi/agent/extensions",),
        project_files=(".pi/automode.json", ".pi/automode.local.json", ".pi/settings.json"),
        project_folders=(".pi/extensions",),
        transcripts=(".pi/agent/sessions",),
        protected=(".pi",),
    ),
    disarming=Disarming(
        options=("--no-extensions", "-ne"),
        moving={"PI_CODING_AGENT_DIR": ".pi/agent", "PI_PACKAGE_DIR": ""},
        settling=("remove", "uninstall"),
    ),
)
