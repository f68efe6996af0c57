"""Google's XML interface and Azure's blobs on loopback, in memory, for tests. It prints its port, and ends when its
standard input does. Standard library alone; written by the two services' documentation.

/BUCKET/NAME               Google's: GOOG4-HMAC-SHA256 with the key below, or the bearer token
/account/CONTAINER/NAME    Azure's: SharedKey, a SAS whose signature is "sAs", or the bearer token
Listings have two entries a page. Of Azure's answers the first to each conditional PUT of the path in /-/lose is lost.
"""
import base64
import hashlib
import hmac
import http.server
import itertools
import os
import re
import socket
import sys
import threading
import urllib.parse
from xml.sax.saxutils import escape

KEY, SECRET, TOKEN = "GOOGTEST", "sEcret/of+the=test", "tOken"
ACCOUNT_KEY = base64.b64encode(b"the key of the account, of any length").decode()
lock, values, blocks, numbers, lost = threading.Lock(), {}, {}, itertools.count(1000), set()


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # header and body are sent together

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers={}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code):
        """The message shows the signature that the request had."""
        message = escape("refused " + self.asked.get("sig", ""))
        self.answer(status, f"<Error><Code>{code}</Code><Message>{message}</Message></Error>".encode(),
                    {"x-ms-error-code": code})

    def own(self, prefix):
        return sorted((name.lower(), value) for name, value in self.headers.items() if name.lower().startswith(prefix))

    def google_problem(self):
        said = self.headers.get("Authorization", "")
        if said == f"Bearer {TOKEN}":
            return ""
        if self.own("x-amz-"):
            return "InvalidArgument"  # these are not mixed with x-goog-...
        found = re.fullmatch(r"GOOG4-HMAC-SHA256 Credential=(\w+)/(\d{8})/(\S+)/storage/goog4_request, "
                             r"SignedHeaders=(\S+), Signature=([0-9a-f]{64})", said)
        if not found or found[1] != KEY:
            return "AccessDenied"
        names = found[4].split(";")
        if "host" not in names or any(name not in names for name, _ in self.own("x-goog-")):
            return "AccessDenied"
        payload = self.headers["x-goog-content-sha256"]
        if payload != hashlib.sha256(self.body).hexdigest():
            return "ContentSHA256Mismatch"
        canonical = "\n".join([self.command, self.raw, self.query, *(f"{name}:{self.headers[name]}" for name in names),
                               "", found[4], payload])
        scope = f"{found[2]}/{found[3]}/storage/goog4_request"
        text = "\n".join(["GOOG4-HMAC-SHA256", self.headers["x-goog-date"], scope,
                          hashlib.sha256(canonical.encode()).hexdigest()])
        key = ("GOOG4" + SECRET).encode()
        for part in scope.split("/"):
            key = mac(key, part)
        return "" if mac(key, text).hex() == found[5] else "SignatureDoesNotMatch"

    def azure_problem(self):
        said = self.headers.get("Authorization", "")
        if self.headers.get("x-ms-version") != "2021-12-02" or not self.headers.get("x-ms-date", "").endswith(" GMT"):
            return "InvalidHeaderValue"
        if said == f"Bearer {TOKEN}" or self.asked.get("sig") == "sAs":
            return ""
        of = lambda name: self.headers.get(name, "")
        length = of("Content-Length")
        lines = [self.command, "", "", "" if length == "0" else length, "", of("Content-Type"), "", "", of("If-Match"),
                 of("If-None-Match"), "", of("Range"), *(f"{name}:{value}" for name, value in self.own("x-ms-"))]
        lines += ["/account" + self.raw, *(f"{name}:{value}" for name, value in sorted(self.asked.items()))]
        expected = base64.b64encode(mac(base64.b64decode(ACCOUNT_KEY), "\n".join(lines))).decode()
        return "" if said == f"SharedKey account:{expected}" else "AuthenticationFailed"

    def condition_fails(self, found):
        """Of Google only reads know ETags, as its documentation says."""
        if self.is_google:
            wanted = self.headers.get("x-goog-if-generation-match")
            return wanted is not None and wanted != (str(found["number"]) if found else "0")
        match, none = self.headers.get("If-Match"), self.headers.get("If-None-Match")
        return (match is not None and (not found or match != found["etag"])) or (none == "*" and bool(found))

    def list(self):
        prefix, after = self.asked.get("prefix", ""), self.asked.get("continuation-token" if self.is_google else "marker", "")
        names, folders = set(), set()
        for name in values:
            if not name.startswith(self.root + prefix):
                continue
            name = name[len(self.root):]
            end = name.find("/", len(prefix))
            if self.asked.get("delimiter") and end >= 0:
                folders.add(name[:end + 1])
            else:
                names.add(name)
        page = sorted(one for one in names | folders if one > after)
        rest, page = len(page) > 2, page[:2]
        text = ""
        for one in page:
            size = len(values[self.root + one]["value"]) if one in names else 0
            shown = escape(urllib.parse.quote(one) if self.is_google else one)
            if self.is_google:
                text += (f"<Contents><Key>{shown}</Key><Size>{size}</Size></Contents>" if one in names else
                         f"<CommonPrefixes><Prefix>{shown}</Prefix></CommonPrefixes>")
            else:
                text += (f"<Blob><Name>{shown}</Name><Properties><Content-Length>{size}</Content-Length></Properties></Blob>"
                         if one in names else f"<BlobPrefix><Name>{shown}</Name></BlobPrefix>")
        if self.is_google:
            next_one = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if rest else ""
            return self.answer(200, f"<ListBucketResult><EncodingType>url</EncodingType>{text}<IsTruncated>"
                               f"{str(rest).lower()}</IsTruncated>{next_one}</ListBucketResult>".encode())
        next_one = f"<NextMarker>{escape(page[-1])}</NextMarker>" if rest else "<NextMarker />"
        self.answer(200, f"<EnumerationResults><Blobs>{text}</Blobs>{next_one}</EnumerationResults>".encode())

    def do_GET(self):
        self.raw, _, self.query = self.path.partition("?")
        self.asked = dict(urllib.parse.parse_qsl(self.query, keep_blank_values=True))
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urllib.parse.unquote(self.raw)
        if path == "/-/lose":
            lost.add(self.asked["path"])
            return self.answer(200)
        self.is_google = not path.startswith("/account/")
        problem = self.google_problem() if self.is_google else self.azure_problem()
        if problem:
            return self.refuse(403, problem)
        parts = path.split("/", 2 if self.is_google else 3)
        self.root = "/".join(parts[:2 if self.is_google else 3]) + "/"
        with lock:
            if len(parts) < (3 if self.is_google else 4):
                return self.list()
            self.one(path)

    def one(self, path):
        found = values.get(path)
        if self.asked.get("comp") == "block":  # of Azure; all names of a value are of one length
            if any(len(name) != len(self.asked["blockid"]) for name in blocks.get(path, {})):
                return self.refuse(400, "InvalidBlobOrBlock")
            base64.b64decode(self.asked["blockid"], validate=True)
            blocks.setdefault(path, {})[self.asked["blockid"]] = self.body
            return self.answer(201)
        if self.condition_fails(found):
            is_new = not self.is_google and self.headers.get("If-None-Match") == "*"
            return self.refuse(409, "BlobAlreadyExists") if is_new else self.refuse(412, "PreconditionFailed")
        if self.command == "PUT":
            if self.asked.get("comp") == "blocklist":
                staged, names = blocks.pop(path, {}), re.findall("<Latest>([^<]*)</Latest>", self.body.decode())
                known = {**(found or {}).get("blocks", {}), **staged}
                if any(name not in known for name in names):
                    return self.refuse(400, "InvalidBlockList")
                self.body, of_blocks = b"".join(known[name] for name in names), {name: known[name] for name in names}
            elif not self.is_google and self.headers.get("x-ms-blob-type") != "BlockBlob":
                return self.refuse(400, "MissingRequiredHeader")
            else:
                blocks.pop(path, None)
                of_blocks = {}
            number = next(numbers)
            of_user = {name: value for name, value in self.own("x-goog-meta-" if self.is_google else "x-ms-meta-")}
            values[path] = found = {"value": self.body, "number": number, "etag": f'"0x{number:x}"', "user": of_user,
                                    "blocks": of_blocks}
            if path in lost:
                lost.remove(path)
                self.close_connection = True
                return self.connection.shutdown(socket.SHUT_RDWR)
            return self.answer(200 if self.is_google else 201, b"", self.described(found))
        if not found:
            return self.refuse(404, "NoSuchKey" if self.is_google else "BlobNotFound")
        if self.command == "DELETE":
            del values[path]
            return self.answer(204 if self.is_google else 202)
        value, size = found["value"], len(found["value"])
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return self.answer(200, value, self.described(found))
        first = int(asked[1]) if asked[1] else max(size - int(asked[2]), 0)
        last = min(int(asked[2]), size - 1) if asked[1] and asked[2] else size - 1
        if first >= size:
            return self.answer(416, b"", {"Content-Range": f"bytes */{size}"})
        part = {"Content-Range": f"bytes {first}-{last}/{size}", **self.described(found)}
        self.answer(206, value[first:last + 1], part)

    def described(self, found):
        return {"ETag": found["etag"], **({"x-goog-generation": found["number"]} if self.is_google else {}), **found["user"]}

    do_PUT = do_HEAD = do_DELETE = do_POST = do_GET


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, *_):
        pass  # the client went away


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
os._exit(0)
