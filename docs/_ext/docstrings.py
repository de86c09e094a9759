"""Docstrings are written as Markdown reads; Sphinx wants reStructuredText: turn one into the other.

Only what occurs: code in backticks, tables, and stars and bars that mean themselves.
"""

from __future__ import annotations

import re
from typing import Any

_CODE = re.compile(r"(``.+?``|`[^`]+`)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][\w.]*(\(\))?")
_SPECIAL = re.compile(r"(?<!\\)(\*(?! -)|\|)|\b(\w+)_(?=[\s.,;:)]|$)")
_RULE = re.compile(r"\|[\s:|-]+\|")


def to_restructured(
    app: Any, what: str, name: str, subject: Any, options: Any, lines: list[str]
) -> None:
    """Rewrite the lines of a docstring in place."""
    text = "\n".join(_tables(lines))
    blocks = re.split(r"(^[ ]*>>>.*?(?=\n[ ]*\n|\Z))", text, flags=re.DOTALL | re.MULTILINE)
    lines[:] = "".join(
        block if block.lstrip().startswith(">>>") else _prose(block) for block in blocks
    ).split("\n")


def _prose(text: str) -> str:
    done = ""
    for part in _CODE.split(text):
        if part.startswith("`") and part.endswith("`"):
            done += _code(part)
            continue
        joint = "\\ " if done.endswith("`") and part[:1].isalnum() else ""
        done += joint + _escaped(part)
    return done


def _code(part: str) -> str:
    """Return code as a reference if it may name something, else as a literal."""
    inner = part.strip("`")
    if part.startswith("``") or not _NAME.fullmatch(inner):
        return f"``{' '.join(inner.split())}``"
    return f":py:obj:`{inner}`"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\_", text)


def _tables(lines: list[str]) -> list[str]:
    """Turn Markdown tables into list tables; they have a head row."""
    out: list[str] = []
    inside = False
    for line in lines:
        row = line.strip()
        if not (row.startswith("|") and row.endswith("|") and len(row) > 1):
            if inside and row:
                out.append("")
            inside = False
            out.append(line)
            continue
        if not inside:
            indent = " " * (len(line) - len(line.lstrip()))
            out += ["", f"{indent}.. list-table::", f"{indent}   :header-rows: 1", ""]
            inside = True
        if not _RULE.fullmatch(row):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row[1:-1])]
            for number, cell in enumerate(cells):
                out.append(f"{indent}   {'* -' if number == 0 else '  -'} {cell}".rstrip())
    return out
