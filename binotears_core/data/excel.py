"""Excel sheets as tables."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from binotears_core.data.columns import label_of
from binotears_core.data.sniffing import EMPTY, HEAD_ROWS, has_header
from binotears_core.data.sources import FrameSource, Opener
from binotears_core.errors import DataError, OptionError


def read_excel(opener: Opener, title: str, sheet: str | int | None, header: bool | None) -> FrameSource:
    """One sheet (the first unless chosen) as a table; empty rows and columns are no part of it."""
    chosen, cells = _read_sheet(opener, title, sheet)
    filled = cells.notna()
    cells = cells.loc[filled.any(axis=1), filled.any(axis=0)]
    if cells.empty:
        raise DataError(EMPTY.format(f"Sheet '{chosen}' of {title}"))
    first = cells.head(HEAD_ROWS).to_numpy().tolist()
    head = [["" if cell is None else label_of(cell) for cell in row] for row in first]
    named = has_header(head) if header is None else header
    table = cells.iloc[1:] if named else cells
    table = table.set_axis(head[0] if named else [""] * cells.shape[1], axis=1)
    return FrameSource(table, title, f"Read {title}: sheet '{chosen}' of an Excel file.")


def _read_sheet(opener: Opener, title: str, sheet: str | int | None) -> tuple[str, pd.DataFrame]:
    """Name and cells of a sheet; None where a cell is empty."""
    import openpyxl  # slow to import, and few tables need it

    with opener() as stream:
        try:
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            chosen = _sheet_name(book.sheetnames, title, sheet)
            return chosen, pd.DataFrame(book[chosen].iter_rows(values_only=True), dtype=object)
        except OptionError:
            raise
        except Exception:  # a damaged file may fail anywhere inside: archive, XML, cells
            raise DataError(f"{title} is not a readable Excel file. Save it again as .xlsx or CSV.") from None


def _sheet_name(sheets: Sequence[str], title: str, sheet: str | int | None) -> str:
    if sheet is None:
        return sheets[0]
    if isinstance(sheet, int) and 0 <= sheet < len(sheets):
        return sheets[sheet]
    if sheet in sheets:
        return str(sheet)
    raise OptionError(f"{title} has no sheet '{sheet}'. Its sheets are: {', '.join(sheets)}.")
