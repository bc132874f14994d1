"""Where the server listens: whether an address is this machine alone, and a socket bound to it."""

from __future__ import annotations

import errno
import ipaddress
import socket
from dataclasses import dataclass

from echo.serve.reply import Refused

QUEUE = 128
"""Connections that may wait to be taken."""


@dataclass(frozen=True, kw_only=True)
class Address:
    """A host name looked up once, so that what was checked is what is bound."""

    host: str
    """As it was asked for."""
    ip: str
    port: int
    """0 lets the system choose a free one."""
    family: socket.AddressFamily
    loopback: bool
    """Whether nothing but this machine can reach it."""

    @property
    def url_host(self) -> str:
        """How a client names it in a URL: the address, or this machine's name where it is all addresses.

        >>> look_up("::1", 80).url_host
        '[::1]'
        """
        if ipaddress.ip_address(self.ip.partition("%")[0]).is_unspecified:
            return socket.gethostname()
        return f"[{self.ip}]" if self.family == socket.AF_INET6 else self.ip


def look_up(host: str, port: int) -> Address:
    """Return the address behind a host name; of several an IPv4 one, then the first.

    Raises:
        Refused: if the name means nothing, or the port is outside 0 to 65535.

    >>> look_up("127.0.0.1", 8765).loopback, look_up("0.0.0.0", 8765).loopback
    (True, False)
    """
    if not 0 <= port <= 65_535:
        raise Refused(f"expected a port from 0 to 65535; got {port}. 0 lets the system choose one.")
    if not host.strip():
        raise Refused("expected an address to listen at; got an empty one. 127.0.0.1 is this machine alone.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise Refused(
            f"expected the name or address of this machine; got {host!r} ({error}). "
            f"Leave it out for 127.0.0.1, this machine alone."
        ) from error
    families = [one for one in found if one[0] in (socket.AF_INET, socket.AF_INET6)]
    family, _, _, _, place = min(families, key=lambda one: one[0] != socket.AF_INET)
    ip = str(place[0])
    return Address(host=host, ip=ip, port=port, family=family, loopback=is_loopback(ip))


def is_loopback(ip: str) -> bool:
    """Return whether an IP address is this machine alone.

    >>> [is_loopback(ip) for ip in ("127.0.0.9", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "192.168.1.4")]
    [True, True, True, False, False, False]
    """
    address = ipaddress.ip_address(ip.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def listen(address: Address) -> socket.socket:
    """Return a socket that listens at `address`.

    Raises:
        Refused: if the port is taken, may not be used, or the address is not of this machine.
    """
    bound = socket.socket(address.family, socket.SOCK_STREAM)
    try:
        # A server that was ended just now must not keep its port from the next one.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((address.ip, address.port))
        bound.listen(QUEUE)
    except OSError as error:
        bound.close()
        raise Refused(_cannot_listen(address, error)) from error
    return bound


def _cannot_listen(address: Address, error: OSError) -> str:
    where = f"{address.ip}:{address.port}"
    if error.errno == errno.EADDRINUSE:
        return (
            f"expected a free port at {where}; another program listens there. "
            f"End it, or choose another with --port (0: any free one)."
        )
    if error.errno == errno.EACCES:
        return f"expected a port this user may listen at; {where} is not ({error}). Choose one above 1023."
    return f"expected an address of this machine; {where} cannot be listened at ({error}). Check --host."
