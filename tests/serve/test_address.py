from __future__ import annotations

import socket

import pytest

from echo.serve.address import is_loopback, listen, look_up
from echo.serve.reply import Refused


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "::1"])
def test_this_machine_alone_is_loopback(host):
    assert look_up(host, 0).loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "10.0.0.1", "::ffff:10.0.0.1", "fe80::1"])
def test_what_others_can_reach_is_not_loopback(host):
    assert not look_up(host, 0).loopback


def test_all_addresses_are_named_by_the_name_of_this_machine():
    assert look_up("0.0.0.0", 80).url_host == look_up("::", 80).url_host == socket.gethostname()


def test_an_ipv4_address_within_an_ipv6_one_is_judged_by_itself():
    assert is_loopback("::ffff:127.0.0.1")
    assert not is_loopback("::ffff:192.0.2.7")


@pytest.mark.parametrize("host", ["no such host", "a..b", "\ud83c", "x" * 300])
def test_a_name_that_means_nothing_is_refused(host):
    with pytest.raises(Refused, match="expected the name or address of this machine"):
        look_up(host, 80)


def test_an_empty_name_is_not_taken_for_every_address():
    with pytest.raises(Refused, match="got an empty one"):
        look_up(" ", 80)


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_outside_its_range_is_refused(port):
    with pytest.raises(Refused, match=f"expected a port from 0 to 65535; got {port}"):
        look_up("127.0.0.1", port)


def test_a_taken_port_is_told_with_what_to_do():
    with listen(look_up("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(Refused, match=rf"expected a free port at 127\.0\.0\.1:{port}; another program"):
            listen(look_up("127.0.0.1", port))


def test_an_address_of_another_machine_cannot_be_listened_at():
    with pytest.raises(Refused, match=r"expected an address of this machine; 192\.0\.2\.7:8765 cannot be"):
        listen(look_up("192.0.2.7", 8765))


def test_a_port_can_be_used_again_at_once():
    with listen(look_up("127.0.0.1", 0)) as first, socket.create_connection(first.getsockname()) as client:
        taken, _ = first.accept()
        taken.close()
        client.recv(1)
        port = first.getsockname()[1]
    listen(look_up("127.0.0.1", port)).close()
