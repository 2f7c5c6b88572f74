"""Invisible characters."""

Ranges = tuple[tuple[int, int], ...]  # the first and the last of each

IGNORABLE: Ranges = (
    *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
"""Unicode's Default_Ignorable_Code_Point, which `unicodedata` does not know. A test holds the table
against the categories that it knows."""


def character_class(*tables: Ranges) -> str:
    """The ranges as the inside of a regular expression's class."""
    ranges = (pair for table in tables for pair in table)
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)
