"""Skills that a repository offers, and those that steer who works on it."""

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.facts.place import recorded_workspace
from automode.judge.file_deeds import is_product
from tests.rows import each_row

SKILLS = recorded_workspace("/home/user/projects/acme-skills", "/home/user")
SHOP = recorded_workspace("/home/user/projects/shop", "/home/user")


@each_row(
    "place, path, wanted",
    [
        (SKILLS, "skills/search/SKILL.md", True),
        (SKILLS, "plugins/acme/skills/search/SKILL.md", True),
        (SKILLS, ".claude/skills/search/SKILL.md", False),
        (SKILLS, ".agents/skills/search/SKILL.md", False),
        (SKILLS, "AGENTS.md", False),
        (SKILLS, "skills/search/run.sh", False),
        (SKILLS, "../shop/skills/search/SKILL.md", False),
        (SHOP, "skills/deploy/SKILL.md", False),
        (SHOP, "plugins/shop/skills/deploy/SKILL.md", False),
    ],
)
def test_a_skill_is_a_product_where_the_repository_offers_skills(
    place: Workspace, path: str, *, wanted: bool
) -> None:
    full = f"{place.root}/{path}".replace("/acme-skills/../", "/")

    assert is_product(full, place) is wanted


def test_a_manifest_says_that_a_folder_is_a_plug_in(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = tmp_path_factory.mktemp("shop")
    (root / "plugin" / ".claude-plugin").mkdir(parents=True)
    place = Workspace(str(root), str(root), "/home/user", Disk())

    assert is_product(f"{root}/plugin/skills/search/SKILL.md", place)
    assert not is_product(f"{root}/other/skills/search/SKILL.md", place)
