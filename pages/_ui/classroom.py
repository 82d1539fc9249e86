"""`make class`: the app for a lecture hall. Serves the local network and prints the link and its QR code.

    python -m pages._ui.classroom [--address 192.168.1.20] [--port 8501]

Browsers may open it by the address or by the name of this machine. Everything else is refused: pages of other sites
(their origin is wrong) and names that only pretend to be this machine (DNS rebinding).
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import socket
import sys
from collections.abc import Iterator, Sequence

import segno

PORT = 8501
EVERYWHERE = ("0.0.0.0", "::")
# One far address in each private range, and one reserved for documentation. Connecting a UDP socket sends nothing:
# the system only looks up which of its own addresses it would use.
PROBES = ("192.0.2.1", "10.255.255.255", "172.31.255.255", "192.168.255.255")

NO_NETWORK = """This machine has no address in a local network.
Connect it to the Wi-Fi the class uses, or open a hotspot on it, and try again.
If you know the address: make class ADDRESS=192.168.1.20
Alone on this machine: make run"""


def lan_addresses() -> list[str]:
    """IPv4 addresses under which others may reach this machine, the likeliest first."""
    found = [*_routed(), *_of_interfaces(), *_of_name()]
    return [one for one in dict.fromkeys(found) if not one.startswith(("127.", "169.254.", "0."))]


def _routed() -> Iterator[str]:
    for probe in PROBES:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            try:
                asked.connect((probe, 9))
                yield asked.getsockname()[0]
            except OSError:
                continue


def _of_interfaces() -> Iterator[str]:
    """On Linux, what each network card answers: a hotspot without internet has no route the probes could find."""
    if sys.platform != "linux":
        return
    from fcntl import ioctl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, card in socket.if_nameindex():
            try:
                answer = ioctl(asked, 0x8915, card.encode()[:15].ljust(256, b"\0"))  # SIOCGIFADDR
            except OSError:
                continue  # a card without an address
            yield socket.inet_ntoa(answer[20:24])


def _of_name() -> Iterator[str]:
    try:
        answers = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except OSError:
        return
    yield from (str(answer[4][0]) for answer in answers)


def host_names(shown: str) -> list[str]:
    """What browsers may call this machine."""
    own = socket.gethostname()
    names = [shown, own, own.split(".")[0], f"{own.split('.')[0]}.local", "localhost", "127.0.0.1"]
    return list(dict.fromkeys(name for name in names if name))


def streamlit_arguments(address: str, shown: str, port: int) -> list[str]:
    """How Streamlit is started: bound to `address`, opened by others as `shown`."""
    options = {
        "server.address": address,
        "server.port": str(port),
        "server.headless": "true",
        "browser.serverAddress": shown,
        "browser.serverPort": str(port),
        "logger.hideWelcomeMessage": "true",
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    for name in host_names(shown):
        flags += ["--server.allowedHosts", name]
    return ["run", "app.py", *flags]


def qr_code(link: str, *, colour: bool) -> str:
    """The link as blocks. `colour` fixes white on black, which a telephone reads also from a light terminal."""
    text = io.StringIO()
    segno.make(link, micro=False).terminal(out=text, border=2, compact=True)
    rows = text.getvalue().splitlines()
    return "\n".join(f"\033[97;40m{row}\033[0m" if colour else row for row in rows)


def invitation(link: str, others: Sequence[str], *, colour: bool) -> str:
    """What the teacher reads in the terminal."""
    words = f"\n{qr_code(link, colour=colour)}\n\n  Open {link}\n"
    words += "  Everyone in this network can use the app; each browser sees only its own data and runs.\n"
    if others:
        words += f"  Does it not open? This machine is also {', '.join(others)}: make class ADDRESS={others[0]}\n"
    return words + "  A firewall on this machine must let the port in. Stop with Ctrl-C.\n"


def is_taken(address: str, port: int) -> bool:
    """True when something listens there already; raises OSError for an address that is not this machine's."""
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((address, port))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return True
            raise
    return False


def choose(asked: str) -> tuple[str, str, list[str]]:
    """(address to bind, address to show, other addresses); ends with a sentence when there is none."""
    found = lan_addresses()
    if asked and asked not in EVERYWHERE:
        return asked, asked, []
    if not found:
        sys.exit(NO_NETWORK)
    return asked or found[0], found[0], found[1:] if not asked else []


def main(arguments: Sequence[str] | None = None) -> None:
    """Find the address, invite, serve."""
    parser = argparse.ArgumentParser(prog="make class", description="Serve the app to the local network.")
    parser.add_argument("--address", default="", help="bind this address instead of the one found")
    parser.add_argument("--port", type=int, default=PORT)
    given = parser.parse_args(arguments)
    address, shown, others = choose(given.address)
    try:
        if is_taken(address, given.port):
            sys.exit(f"Port {given.port} is not free. Take another one: make class PORT={given.port + 1}")
    except OSError:
        sys.exit(f"{address} is not an address of this machine. Its own: {', '.join(lan_addresses()) or 'none found'}.")
    link = f"http://{f'[{shown}]' if ':' in shown else shown}:{given.port}"
    print(invitation(link, others, colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ), flush=True)
    _serve(streamlit_arguments(address, shown, given.port))


def _serve(arguments: list[str]) -> None:
    from streamlit.web import cli

    from pages._ui.offline import ask_nobody

    ask_nobody()
    cli.main(arguments, prog_name="streamlit")


if __name__ == "__main__":
    main()
