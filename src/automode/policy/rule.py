"""One prose rule: what it covers, what it leaves alone, and what a user must say to clear it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """`name` is stable: reports and evaluations refer to a rule by it.

    `excludes` names the benign look-alikes. `must_name` is the item (action and target) that the
    user's own words must contain; only soft rules have one, because nothing clears a hard rule.
    """

    name: str
    covers: str
    excludes: str
    must_name: str = ""

    @property
    def text(self) -> str:
        """The rule as one bullet's prose, without the bullet mark."""
        parts = [f"{self.name}: {self.covers}", f"Does not cover: {self.excludes}."]
        if self.must_name:
            parts.append(f"To clear it the user must name: {self.must_name}.")
        return " ".join(parts)

    def as_data(self) -> dict[str, str]:
        """The rule as a JSON object; `must_name` only where there is one."""
        data = {"name": self.name, "covers": self.covers, "excludes": self.excludes}
        return data | {"must_name": self.must_name} if self.must_name else data
