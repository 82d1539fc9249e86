"""Encoding, delimiter and header are found without being told."""

from io import BytesIO

import pytest

from binotears_core.data.sniffing import TextFormat, sniff
from binotears_core.errors import DataError


def found(text: str | bytes, encoding: str = "utf-8") -> TextFormat:
    return sniff(BytesIO(text.encode(encoding) if isinstance(text, str) else text), "The file")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("cp1252", "cp1252"),
        ("latin-1", "cp1252"),
    ],
)
def test_encodings(written: str, read: str) -> None:
    layout = found("größe,b\n0,1\n1,0\n", written)
    assert (layout.encoding, layout.names) == (read, ("größe", "b"))


def test_bytes_that_windows_does_not_know_are_latin() -> None:
    assert found(b"a\x81,b\n0,1\n").encoding == "latin-1"


def test_a_late_character_decides_the_encoding() -> None:
    assert found(b"a,b\n" + b"0,1\n" * 600_000 + b"1,\xe9\n").encoding == "cp1252"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(delimiter: str) -> None:
    assert found(f"a{delimiter}b\n0{delimiter}1\n").delimiter == delimiter


@pytest.mark.parametrize(
    ("text", "delimiter", "columns"),
    [
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";", 2),  # decimal commas
        ("1,5;2,5\n3,5;4,5\n", ";", 2),  # also without names
        ('"a,b";c\n0;1\n', ";", 2),
        ("a;b,c\n0,1\n1,0\n", ",", 2),  # a semicolon inside a name
        ("a\n0\n1\n", ",", 1),
        ("a b\n0\n1\n", ",", 1),
        ("a,b,c\n0,1,1\n0,1\n1,1,1\n", ",", 3),  # one ragged row does not change the verdict
    ],
)
def test_harder_delimiters(text: str, delimiter: str, columns: int) -> None:
    layout = found(text)
    assert (layout.delimiter, layout.columns) == (delimiter, columns)


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n0,1\n", True),
        ("0,1\n1,1\n", False),
        ("yes,no\nno,yes\n", False),
        ("3.5,1\n2.5,0\n", False),
        ("1,5;0\n2,5;1\n", False),
        ("2019,2020\n0,1\n1,0\n", True),  # years over bits
        ("red,0\nblue,1\nred,1\n", False),
        ("colour,0\nblue,1\nred,1\n", True),
        ("0,\n1,1\n", False),
        (",a\n0,1\n", True),  # a column of row numbers without a name
        ("a,b\n", True),
        ("0,1\n", False),
    ],
)
def test_headers(text: str, header: bool) -> None:
    assert (found(text).names is not None) is header


def test_header_can_be_forced() -> None:
    assert sniff(BytesIO(b"0,1\n1,0\n"), "The file", header=True).names == ("0", "1")
    assert sniff(BytesIO(b"a,b\nb,a\n"), "The file", header=False).names is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "The file is empty"),
        (b" \n\n", "The file is empty"),
        (b"a,b\n0,1\n0,\x001\n", "NUL byte on line 3"),
        (b"\xef\xbb\xbfa,b\n0,1\n\xff,1\n", "begins as utf-8-sig text but line 3 is not"),
        ("a,b\n0,1\n".encode("utf-16") + b"\x00", "begins as utf-16 text but line 3 is not"),
    ],
)
def test_what_is_no_text(content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        found(content)
