"""Nothing leaves the machine, not even when a stranger knocks."""

from __future__ import annotations

from streamlit import net_util


def ask_nobody() -> None:
    """Keep Streamlit from asking a server on the internet for this machine's public address.

    It does so when a page of another origin tries to connect. We need no public address: such a page is refused anyway.
    """
    net_util._external_ip = "127.0.0.1"  # the remembered answer; there is no option for it
