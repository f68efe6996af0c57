"""A web server on loopback, for tests: server.py FOLDER. It prints its port, and ends when its standard input does.

/MODE/ARGUMENT/PATH is the file PATH of FOLDER, sent as MODE says: as good servers do, as lesser ones, or wrongly.
/told lists the requests so far, a line "PATH RANGE" for each; /connections is the number of connections.
"""
import gzip
import hashlib
import http.server
import os
import re
import ssl
import sys
import threading

folder = os.path.abspath(sys.argv[1])
lock = threading.Condition()
told, times, together, most = [], {}, {}, [0, 0]
sent = [0, 0]  # bytes of bodies without an end; those in progress


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    more = ()  # headers of the answer

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=(), length=True):
        self.send_response(status)
        for name, value in (*headers, *self.more):
            self.send_header(name, value)
        if length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def cut(self):
        self.wfile.flush()
        self.close_connection = True

    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked = self.headers.get("Range", "")
        if path == "/told":
            with lock:
                return self.answer(200, "".join(told).encode())
        if path == "/sent":
            return self.answer(200, str(sent[0]).encode())
        if path == "/under-way":  # when a body without an end has begun
            with lock:
                lock.wait_for(lambda: sent[1] > 0)
            return self.answer(200, b"1")
        if path == "/connections":
            return self.answer(200, str(server.connections).encode())
        with lock:
            told.append(f"{path} {asked}\n")
            times[self.path] = times.get(self.path, 0) + 1
            time = times[self.path]
        _, mode, argument, name = (path.split("/", 3) + [""] * 3)[:4]
        if getattr(self, "mode_" + mode.replace("-", "_"), None):
            return getattr(self, "mode_" + mode.replace("-", "_"))(argument, name, query, asked, time)
        self.plain(name, asked)

    def value(self, name):
        """The file's bytes, or None."""
        decoded = re.sub("%([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), name)
        try:
            with open(os.path.join(folder, decoded.encode("latin-1").decode()), "rb") as file:
                return file.read()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError, ValueError):
            return None

    def part(self, value, asked):
        """The requested part of the value, as (first, last + 1); None if there is none."""
        first, last = re.fullmatch("bytes=([0-9]*)-([0-9]*)", asked).groups()
        begin = int(first) if first else max(len(value) - int(last), 0)
        end = min(int(last) + 1, len(value)) if first and last else len(value)
        return (begin, end) if begin < end else None

    def plain(self, name, asked, change=lambda part, headers: part):
        value = self.value(name)
        if value is None:
            return self.answer(404, b"there is no such file")
        if not asked:
            return self.answer(200, change(value, []))
        part = self.part(value, asked)
        if not part:
            return self.answer(416, headers=[("Content-Range", f"bytes */{len(value)}")])
        headers = [("Content-Range", f"bytes {part[0]}-{part[1] - 1}/{len(value)}")]
        body = change(value[part[0]:part[1]], headers)
        self.answer(206, body, headers)

    def mode_etag(self, argument, name, query, asked, time):  # `argument`: "weak" or "strong"
        weak = "W/" if argument == "weak" else ""
        self.more = [("ETag", f'{weak}"{hashlib.sha256(self.value(name) or b"").hexdigest()}"')]
        self.plain(name, asked)
        self.more = ()

    def mode_hedged(self, argument, name, query, asked, time):
        """The first of two requests is answered if `argument` is "second-fails", once there are two; or else the second."""
        with lock:
            lock.notify_all()
            if time == 1:
                lock.wait_for(lambda: times[self.path] > 1)
        if (time == 1) == (argument == "second-fails"):
            return self.plain(name, asked)
        if time == 1:
            self.rfile.read(1)  # until the client closes its end
        self.cut()

    def mode_refused(self, argument, name, query, asked, time):
        """The first request is answered after `argument` others, or after one if no more come; the others are cut."""
        with lock:
            lock.notify_all()
            if time == 1:
                lock.wait_for(lambda: times[self.path] > 1)
                lock.wait_for(lambda: times[self.path] > int(argument), 0.3)
        if time > 1:
            return self.cut()
        self.plain(name, asked)

    def mode_hedged_busy(self, argument, name, query, asked, time):
        """Every second request is refused, and the others have no answer; after `argument` requests all have one."""
        if time > int(argument):
            return self.plain(name, asked)
        if time % 2 == 0:
            return self.answer(503, b"later", [("Retry-After", "0")])
        self.rfile.read(1)  # until the client closes its end
        self.cut()

    def mode_released(self, argument, name, query, asked, time):
        """"slow" is answered when "now" is asked for, which is answered then; "quick", when "slow" is asked for."""
        with lock:
            together[name] = True
            lock.notify_all()
            lock.wait_for(lambda: {"slow": "now", "now": "answered", "quick": "slow"}[name] in together)
        self.plain("k", asked)
        self.wfile.flush()
        if name == "slow":
            with lock:
                together["answered"] = True
                lock.notify_all()

    # Lesser servers.
    def mode_whole(self, argument, name, query, asked, time):  # knows no ranges
        self.plain(name, "")

    def mode_chunked(self, argument, name, query, asked, time):  # nor sizes
        value = self.value(name)
        if value is None:
            return self.answer(404)
        self.answer(200, headers=[("Transfer-Encoding", "chunked")], length=False)
        for begin in range(0, len(value), 1000):
            piece = value[begin:begin + 1000]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def mode_closing(self, argument, name, query, asked, time):  # nor more than one request to a connection
        self.answer(200, self.value(name), [("Connection", "close")], length=False)
        self.cut()

    def mode_moved(self, argument, name, query, asked, time):
        self.answer(302, b"it is elsewhere", [("Location", f"/plain/-/{name}"), ("Content-Range", "bytes 1-2/3")])

    def mode_elsewhere(self, argument, name, query, asked, time):  # at that port, without TLS
        self.answer(302, headers=[("Location", f"http://127.0.0.1:{argument}/plain/-/{name}")])

    # Temporary failures: `argument` times.
    def mode_busy(self, argument, name, query, asked, time):
        if time <= int(argument):
            return self.answer(503, b"later", [("Retry-After", "0")])
        self.plain(name, asked)

    def mode_cut(self, argument, name, query, asked, time):
        if time > int(argument):
            return self.plain(name, asked)
        value = self.value(name)
        self.send_response(200)
        self.send_header("Content-Length", str(len(value)))
        self.end_headers()
        self.wfile.write(value[:len(value) // 2])
        self.cut()

    def mode_header_cut(self, argument, name, query, asked, time):  # after a part of the header
        if time > int(argument):
            return self.plain(name, asked)
        self.wfile.write(b"HTTP/1.1 200 OK\r\nServer: test\r\n")
        self.cut()

    def mode_changed(self, argument, name, query, asked, time):  # cut, and then the value changes
        if time == 1:
            return self.mode_cut("1", name, query, asked, time)
        self.answer(200, self.value(name) + b"x")

    def mode_gone(self, argument, name, query, asked, time):
        if time == 1:
            return self.mode_cut("1", name, query, asked, time)
        self.answer(404)

    # Access control.
    def mode_token(self, argument, name, query, asked, time):
        if self.headers.get("Authorization") != "Bearer open":
            return self.answer(401)
        self.plain(name, asked)

    def mode_signed(self, argument, name, query, asked, time):
        self.plain(name, asked) if query == "signature=open" else self.answer(403)

    # Requests wait until `argument` of them are in progress; documents do not.
    def mode_together(self, argument, name, query, asked, time):
        if name.endswith("zarr.json"):
            return self.plain(name, asked)
        with lock:
            together[argument] = together.get(argument, 0) + 1
            lock.notify_all()
            lock.wait_for(lambda: together[argument] >= int(argument))
        self.plain(name, asked)

    # The most requests that were in progress at once: the value of "most".
    def mode_most(self, argument, name, query, asked, time):
        if name == "most":
            return self.answer(200, str(most[1]).encode())
        with lock:
            most[0] += 1
            most[1] = max(most)
            lock.notify_all()
            lock.wait_for(lambda: most[1] >= int(argument))  # so that the permitted requests overlap
        with lock:
            most[0] -= 1
        self.plain(name, asked)

    # No answer before `argument` requests are in progress, and a fifth of a second for more to come: "first" is their
    # number then.
    def mode_first(self, argument, name, query, asked, time):
        if name == "first":
            return self.answer(200, str(together["first"]).encode())
        with lock:
            together["under way"] = together.get("under way", 0) + 1
            lock.notify_all()
            lock.wait_for(lambda: together["under way"] >= int(argument) or "first" in together)
            lock.wait_for(lambda: together["under way"] > int(argument) or "first" in together, 0.2)
            together.setdefault("first", together["under way"])
            lock.notify_all()
        self.plain(name, asked)

    # Errors.
    def mode_status(self, argument, name, query, asked, time):
        self.answer(int(argument), b"no")

    def mode_loop(self, argument, name, query, asked, time):
        self.answer(302, headers=[("Location", self.path)])

    def mode_encoded(self, argument, name, query, asked, time):
        self.answer(200, gzip.compress(self.value(name)), [("Content-Encoding", "gzip")])

    def mode_range(self, argument, name, query, asked, time):  # a Content-Range of its own
        self.answer(206, self.value(name), [("Content-Range", argument.replace("%20", " ").replace("%2F", "/"))])

    def mode_no_range(self, argument, name, query, asked, time):
        self.answer(206, self.value(name))

    def mode_trailer(self, argument, name, query, asked, time):  # a header after the body, and others before it
        value = self.value(name)
        self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip\r\n\r\n")
        self.answer(200, headers=[("Transfer-Encoding", "chunked")], length=False)
        self.wfile.write(b"%x\r\n%s\r\n0\r\nContent-Encoding: gzip\r\nContent-Range: bytes 1-2/3\r\n\r\n" % (len(value), value))

    def mode_short(self, argument, name, query, asked, time):  # a part of fewer bytes than announced
        self.plain(name, asked, lambda part, headers: part[:-1])

    def mode_nonsense(self, argument, name, query, asked, time):
        self.wfile.write(b"what?\r\n\r\n")
        self.cut()

    def mode_endless(self, argument, name, query, asked, time):
        self.answer(int(argument), headers=[("Transfer-Encoding", "chunked")], length=False)
        try:
            while True:
                self.wfile.write(b"10000\r\n%s\r\n" % bytes(0x10000))
        except OSError:  # the client has stopped reading
            self.close_connection = True

    def without_end(self, piece, pause):
        """Sends it again and again, until the client stops reading."""
        with lock:
            sent[1] += 1
            lock.notify_all()
        try:
            while True:
                self.wfile.write(piece)
                self.wfile.flush()
                sent[0] += len(piece)
                with lock:
                    lock.wait_for(lambda: False, pause)
        except OSError:
            self.close_connection = True

    def mode_endless_value(self, argument, name, query, asked, time):  # without a length
        if name.endswith("zarr.json"):
            return self.plain(name, asked)
        self.answer(200, headers=[("Connection", "close")], length=False)
        self.without_end(bytes(0x10000), 0)

    def mode_drip(self, argument, name, query, asked, time):  # announces `argument` bytes, sends 20 a second
        if name.endswith("zarr.json"):
            return self.plain(name, asked)
        self.answer(200, headers=[("Content-Length", argument)], length=False)
        self.without_end(b"x", 0.05)

    def mode_drip_header(self, argument, name, query, asked, time):
        self.send_response(200)
        self.flush_headers()
        self.without_end(b"x", 0.05)

    def mode_old(self, argument, name, query, asked, time):  # HTTP/1.0: a connection for each request
        self.protocol_version = "HTTP/1.0"
        self.close_connection = True
        self.mode_most(argument, name, query, asked, time)

    def mode_silent(self, argument, name, query, asked, time):
        with lock:
            lock.wait_for(lambda: False)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    connections = 0

    def process_request(self, *arguments):
        self.connections += 1
        super().process_request(*arguments)

    def handle_error(self, *_):  # clients may disconnect
        pass


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 2:  # a certificate and its key
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
