"""Makes untrusted text safe for a terminal or a page: replaces what is not drawn by escapes."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Dict

# Default_Ignorable_Code_Point of Unicode 16; str.isprintable() accepts many of them. The same as in
# registry/text/utf8.cpp. https://www.unicode.org/Public/16.0.0/ucd/DerivedCoreProperties.txt
IGNORABLE = ((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
             (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
             (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF))


class _Escapes(Dict[int, str]):
    """For str.translate: computes each character's escape once."""

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        shown = character.isprintable() and not any(first <= code_point <= last for first, last in IGNORABLE)
        self[code_point] = character if shown else character.encode("unicode_escape", "surrogatepass").decode()
        return self[code_point]


_ESCAPES = _Escapes()


def printable(text: Any) -> str:
    """Escapes characters that move a cursor, change the direction of text or are invisible: "a\\xad" for a soft
    hyphen."""
    return str(text).translate(_ESCAPES)
