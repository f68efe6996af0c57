"""A web server of a folder, which notes what it is asked for."""

import contextlib
import functools
import http.server
import threading


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128  # a client asks for many values at once: connections beyond these would wait for seconds


@contextlib.contextmanager
def served(folder):
    """The server's address, and the paths that it was asked for, each with the request's Authorization."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            asked.append((self.path, self.headers["Authorization"]))

    with _Server(("127.0.0.1", 0), functools.partial(Handler, directory=folder)) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            serving.join()
