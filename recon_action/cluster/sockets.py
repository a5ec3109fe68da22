"""The connections of one pool that are open, which can be cut: whoever waits for an answer on one gets an error."""

import contextlib
import socket
import threading
from weakref import WeakSet

from urllib3 import PoolManager
from urllib3.connection import HTTPConnection
from urllib3.connectionpool import HTTPConnectionPool


class Sockets:
    """Knows the connections of `pool` from now on.

    The library hands no connection out while a request is under way, so each is noted when it connects.
    """

    def __init__(self, pool: PoolManager) -> None:
        self._lock = threading.Lock()
        self._open: WeakSet[HTTPConnection] = WeakSet()
        self._is_cut = False
        kinds = pool.pool_classes_by_scheme
        pool.pool_classes_by_scheme = {scheme: self._noting(kind) for scheme, kind in kinds.items()}

    def cut(self) -> None:
        """End every connection that is open, the first time; those made later are left alone."""
        with self._lock:
            opened = [] if self._is_cut else list(self._open)
            self._is_cut = True
        for connection in opened:
            if isinstance(connection.sock, socket.socket):
                with contextlib.suppress(OSError):  # it has ended by itself
                    # The plain one: TLS's own method would take away what another thread is reading from.
                    socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)

    def _noting(self, kind: type[HTTPConnectionPool]) -> type[HTTPConnectionPool]:
        """`kind`, whose connections are noted."""
        plain = kind.ConnectionCls

        def connect(connection: HTTPConnection) -> None:
            plain.connect(connection)
            with self._lock:
                self._open.add(connection)

        noted = type("NotedConnection", (plain,), {"connect": connect})
        return type("NotedPool", (kind,), {"ConnectionCls": noted})
