"""Cline, asked by scripts in its folder of hooks."""

from automode.agents.agent import Agent, Disarming, OwnPaths
from automode.agents.cline.payloads import Cline

AGENT = Agent(
    Cline,
    "Cline",
    "cline",
    packages=("cline",),
    oldest="3.0.65",
    update="cline update",
    paths=OwnPaths(
        home_folders=(".clinerules/hooks", "Documents/Cline/Hooks", ".cline/hooks"),
        protected=(".cline", ".clinerules"),
    ),
    disarming=Disarming(
        options=("--yolo", "-y", "--config"),
        moving={"CLINE_DIR": ".cline", "CLINE_DATA_DIR": ""},
    ),
)
