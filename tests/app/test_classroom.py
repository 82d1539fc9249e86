"""`make class` without a browser: which address, which names, what the teacher reads."""

import socket
from itertools import pairwise

import pytest
import segno

from pages._ui import classroom

LINK = "http://192.168.1.20:8501"


def test_the_qr_code_in_the_terminal_is_the_link():
    """Read back: a full block is two light cells, a half block one (light on dark, as terminals draw)."""
    light = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}
    rows = classroom.qr_code(LINK, colour=False).splitlines()
    cells = [[light[sign][half] for sign in row] for row in rows for half in (0, 1)]
    wanted = [list(row) for row in segno.make(LINK, micro=False).matrix_iter(border=2)]
    assert cells[: len(wanted)] == wanted


def test_colours_surround_every_row_and_change_nothing_else():
    plain, coloured = classroom.qr_code(LINK, colour=False), classroom.qr_code(LINK, colour=True)
    assert coloured.replace("\033[97;40m", "").replace("\033[0m", "") == plain
    assert all(row.startswith("\033[97;40m") and row.endswith("\033[0m") for row in coloured.splitlines())


def test_the_invitation_names_the_link_and_the_other_addresses():
    words = classroom.invitation(LINK, ["10.0.0.5", "172.17.0.1"], colour=False)
    assert f"Open {LINK}\n" in words
    assert "make class ADDRESS=10.0.0.5" in words
    assert "ADDRESS" not in classroom.invitation(LINK, [], colour=False)


def test_streamlit_learns_what_browsers_will_call_this_machine():
    given = classroom.streamlit_arguments("0.0.0.0", "192.168.1.20", 8600)
    value = dict(zip(given[2::2], given[3::2], strict=True))
    assert (value["--server.address"], value["--browser.serverAddress"]) == ("0.0.0.0", "192.168.1.20")
    allowed = {name for flag, name in pairwise(given) if flag == "--server.allowedHosts"}
    own = socket.gethostname().split(".")[0]
    assert {"192.168.1.20", "127.0.0.1", own, f"{own}.local"} <= allowed
    assert "*" not in allowed


def test_addresses_that_reach_only_this_machine_are_not_offered():
    assert not any(one.startswith(("127.", "169.254.", "0.")) for one in classroom.lan_addresses())


def test_without_a_network_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(classroom, "lan_addresses", lambda: [])
    for asked in ("", "0.0.0.0"):
        with pytest.raises(SystemExit, match="open a hotspot"):
            classroom.choose(asked)
    assert classroom.choose("192.168.1.20")[:2] == ("192.168.1.20", "192.168.1.20")


def test_the_likeliest_address_is_bound_and_the_others_are_named(monkeypatch):
    monkeypatch.setattr(classroom, "lan_addresses", lambda: ["192.168.1.20", "172.17.0.1"])
    assert classroom.choose("") == ("192.168.1.20", "192.168.1.20", ["172.17.0.1"])
    assert classroom.choose("0.0.0.0") == ("0.0.0.0", "192.168.1.20", [])


def test_a_port_in_use_and_a_foreign_address_end_with_a_sentence():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(SystemExit, match=f"make class PORT={port + 1}"):
            classroom.main(["--address", "127.0.0.1", "--port", str(port)])
    with pytest.raises(SystemExit, match="not an address of this machine"):
        classroom.main(["--address", "203.0.113.7", "--port", str(port)])
