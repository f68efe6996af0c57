"""moto's S3 on loopback, for tests: server.py [CERTIFICATE]. It prints its port, and ends when its standard input does.

Signatures are checked by botocore's own signer; requests without one may only use the bucket "public". Requests pass
one after the other, because moto compares and writes in two steps. Before them stand what a test asks for:

/-/fault?how=HOW&times=N&method=PUT&path=TEXT   the next N requests of the method whose path or query has the text:
    status:503:SlowDown   are refused with that status and code
    cut                   lose their connection and are not done
    lost                  are done, and their answer is lost
    short                 are answered with half of the body
    hold                  wait until their client goes
    to:ADDRESS            are redirected there
    no-length             are answered without Content-Length (HEAD)
    etag:PREFIX           are answered with that before the ETag; with "none", without it
    keep:CODE             do not erase the first of their keys, and say that code for it (POST ?delete)
    pass                  are answered as usual
/-/ignore-conditions      from now on If-Match and If-None-Match are ignored
/-/forget-erase-conditions  DELETE with a condition is refused with 501
/-/ignore-erase-conditions  conditions of DELETE are ignored
/-/hide-keys              keys that are missing are refused, as those that may not be listed
/-/requests               lines "METHOD PATH?QUERY HEADERS" since the last call, of the headers named below
/-/bucket?name=NAME       makes a bucket
/-/fill?count=N           makes objects many/I%2/I of one byte, of bucket "tests"
/-/replace?path=NAME&by=OTHER  after the next read of a part of the object NAME, it becomes a copy of OTHER
/-/waiting                answers once a request is held
"""
import datetime
import hashlib
import http.client
import io
import json
import os
import re
import socket
import ssl
import sys
import threading
import urllib.parse

os.environ.setdefault("MOTO_S3_DEFAULT_KEY_BUFFER_SIZE", "67108864")
os.environ["S3_IGNORE_SUBDOMAIN_BUCKETNAME"] = "true"
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.s3.models import s3_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server
from werkzeug.test import Client

secrets = {"AKIDTEST": "sEcret/of+the=test", "ASIAROLE": "sEcretOfTheRole", "ASIAINSTANCE": "sEcretOfTheInstance"}
tokens = {"ASIAROLE": "sEssionTokenOfTheRole", "ASIAINSTANCE": "sEssionTokenOfTheInstance"}
lock, waiting = threading.Lock(), threading.Condition()
faults, requests, replacements, held, modes = [], [], [], [0], set()
moto = DomainDispatcherApplication(create_backend_app)


class Named(S3SigV4Auth):
    """Signs the headers that the request says are signed."""

    def headers_to_sign(self, request):
        headers = http.client.HTTPMessage()
        for name in self.names:
            headers[name] = request.headers[name]
        return headers


def problem_of(environ, body):
    """What is wrong with the signature; empty: nothing."""
    said = environ.get("HTTP_AUTHORIZATION", "")
    bucket = environ["PATH_INFO"].split("/")[1]
    if not said:
        return "" if bucket == "public" else "AccessDenied"
    parts = dict(part.strip().split("=", 1) for part in said.removeprefix("AWS4-HMAC-SHA256 ").split(","))
    key, day, region, service, _ = parts["Credential"].split("/")
    if key not in secrets:
        return "InvalidAccessKeyId"
    if environ.get("HTTP_X_AMZ_SECURITY_TOKEN", "") != tokens.get(key, ""):
        return "InvalidToken"
    signer = Named(Credentials(key, secrets[key]), service, region)
    signer.names = parts["SignedHeaders"].split(";")
    host = environ["HTTP_HOST"]
    url = f"{environ['wsgi.url_scheme']}://{host}{environ['RAW_URI']}"
    headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    if any(name.startswith("x-amz-") and name not in signer.names for name in headers):
        return "AccessDenied"
    signed = {name: headers[name] for name in signer.names}
    request = AWSRequest(environ["REQUEST_METHOD"], url, headers=signed, data=body)
    path, _, query = environ["RAW_URI"].partition("?")
    request.params = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
    request.url = f"{environ['wsgi.url_scheme']}://{host}{path}"
    request.context["timestamp"] = headers["x-amz-date"]
    request.context["payload_signing_enabled"] = headers["x-amz-content-sha256"] != "UNSIGNED-PAYLOAD"
    request.headers["x-amz-content-sha256"] = headers["x-amz-content-sha256"]
    canonical = signer.canonical_request(request)
    if headers["x-amz-content-sha256"] != "UNSIGNED-PAYLOAD":
        if hashlib.sha256(body).hexdigest() != headers["x-amz-content-sha256"]:
            return "XAmzContentSHA256Mismatch"
    expected = signer.signature(signer.string_to_sign(request, canonical), request)
    return "" if expected == parts["Signature"] else "SignatureDoesNotMatch"


def cut(environ):
    connection = environ["werkzeug.socket"]
    connection.shutdown(socket.SHUT_RDWR)
    raise ConnectionAbortedError


def refuse(start, status, code):
    body = (f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>The test's &lt;server&gt; refuses</Message>"
            f"<RequestId>R-{status}</RequestId></Error>").encode()
    start(f"{status} No", [("Content-Length", str(len(body))), ("x-amz-request-id", f"R-{status}")])
    return [body]


def text(start, body, status="200 OK"):
    body = body.encode()
    start(status, [("Content-Length", str(len(body)))])
    return [body]


def pass_on(environ, body):
    """Status, headers and body of moto's answer."""
    environ = dict(environ, **{"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body))})
    if "ignore-conditions" in modes or ("ignore-erase-conditions" in modes and environ["REQUEST_METHOD"] == "DELETE"):
        environ.pop("HTTP_IF_MATCH", None), environ.pop("HTTP_IF_NONE_MATCH", None)
    environ.setdefault("HTTP_AUTHORIZATION", "AWS4-HMAC-SHA256 Credential=A/20200101/us-east-1/s3/aws4_request")
    told = []
    with lock:
        if "uploadId=" in environ["QUERY_STRING"] and environ.get("HTTP_IF_MATCH"):  # moto compares no If-Match there
            bucket, _, name = environ["PATH_INFO"].lstrip("/").partition("/")
            found = s3_backends["123456789012"]["aws"].get_object(bucket, name)
            if not found or found.etag != environ["HTTP_IF_MATCH"]:
                return "412 Precondition Failed", [], b"<Error><Code>PreconditionFailed</Code></Error>"
        answer = b"".join(moto(environ, lambda status, headers, *_: told.append((status, headers))))
    return *told[-1], answer


def lend(start, name, expires):
    return text(start, json.dumps({"Code": "Success", "AccessKeyId": name, "SecretAccessKey": secrets[name],
                                   "Token": tokens[name], "Expiration": expires}))


def app(environ, start):
    method, path, query = environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("QUERY_STRING", "")
    asked = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
    size = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(size) if size else b""
    later = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    if path == "/-/fault":
        faults.append({**asked, "times": int(asked["times"])})
        return text(start, "")
    if path == "/-/requests":
        told, requests[:] = list(requests), []
        return text(start, "".join(told))
    if path == "/-/bucket":
        with lock:
            Client(moto).put("/" + asked["name"], base_url="http://127.0.0.1")
        return text(start, "")
    if path == "/-/replace":
        replacements.append(asked)
        return text(start, "")
    if path == "/-/fill":
        for i in range(int(asked["count"])):
            s3_backends["123456789012"]["aws"].put_object("tests", f"many/{i % 2}/{i}", b"x")
        return text(start, "")
    if path == "/-/waiting":
        with waiting:
            waiting.wait_for(lambda: held[0] > 0)
        return text(start, "")
    if path.startswith("/-/"):
        modes.add(path[3:])
        return text(start, "")
    raw = environ["RAW_URI"]
    told = {name: environ.get("HTTP_" + name.upper().replace("-", "_")) for name in ("range", "if-match", "if-none-match")}
    shown = [f"{name}={value}" for name, value in told.items() if value]
    shown += ["signed"] * ("HTTP_AUTHORIZATION" in environ) + ["token"] * ("HTTP_X_AMZ_SECURITY_TOKEN" in environ)
    requests.append(" ".join([method, raw, *shown]) + "\n")

    # The servers that lend credentials.
    if path == "/sts/":
        if asked.get("WebIdentityToken") != "identity & token" or asked.get("RoleArn") != "arn:aws:iam::1:role/r":
            return refuse(start, 403, "AccessDenied")
        return text(start, "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
                    f"<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>{secrets['ASIAROLE']}</SecretAccessKey>"
                    f"<SessionToken>{tokens['ASIAROLE']}</SessionToken><Expiration>{later}</Expiration></Credentials>"
                    "</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>")
    if path == "/container":
        if environ.get("HTTP_AUTHORIZATION") != "agent-token":
            return refuse(start, 401, "Unauthorized")
        return lend(start, "ASIAINSTANCE", later)
    if path == "/sso/federation/credentials":
        if (environ["SIGN_ON_TOKEN"], asked) != ("sign-on-token", {"role_name": "reader", "account_id": "12"}):
            return refuse(start, 401, "UnauthorizedException")
        return text(start, json.dumps({"roleCredentials": {
            "accessKeyId": "ASIAROLE", "secretAccessKey": secrets["ASIAROLE"], "sessionToken": tokens["ASIAROLE"],
            "expiration": int((datetime.datetime.now(datetime.timezone.utc).timestamp() + 3600) * 1000)}}))
    if path == "/latest/api/token":
        return text(start, "metadata-token") if method == "PUT" else refuse(start, 405, "MethodNotAllowed")
    if path.startswith("/latest/"):
        if environ.get("HTTP_X_AWS_EC2_METADATA_TOKEN") != "metadata-token":
            return refuse(start, 401, "Unauthorized")
        if path.endswith("/security-credentials/"):
            return text(start, "a-role")
        return lend(start, "ASIAINSTANCE", later) if path.endswith("/a-role") else refuse(start, 404, "NotFound")

    how = ""
    for fault in faults:
        if fault["times"] > 0 and fault["method"] == method and fault["path"] in raw:
            fault["times"] -= 1
            how = fault["how"]
            break
    if how.startswith("status:"):
        return refuse(start, int(how.split(":")[1]), how.split(":")[2])
    if how == "cut":
        cut(environ)
    if how.startswith("to:"):
        start("307 Temporary Redirect", [("Location", how[3:]), ("Content-Length", "0")])
        return []
    if how == "hold":
        with waiting:
            held[0] += 1
            waiting.notify_all()
        environ["werkzeug.socket"].recv(1)  # until the client closes its end
        cut(environ)
    problem = problem_of(environ, body)
    if problem:
        return refuse(start, 403, problem)
    if "forget-erase-conditions" in modes and method == "DELETE" and "HTTP_IF_MATCH" in environ:
        return refuse(start, 501, "NotImplemented")
    kept = re.search(b"<Object><Key>(.*?)</Key></Object>", body) if how.startswith("keep:") else None
    if kept:
        body = body.replace(kept[0], b"")
    status, headers, answer = pass_on(environ, body)
    if "hide-keys" in modes and method in ("GET", "HEAD") and status.startswith("404"):
        return refuse(start, 403, "AccessDenied") if method == "GET" else (start("403 Forbidden", []), [])[1]
    if kept:
        error = b"<Error><Key>" + kept[1] + b"</Key><Code>" + how[5:].encode() + b"</Code></Error>"
        answer = re.sub(b"(<DeleteResult[^>]*>)", lambda found: found[1] + error, answer)
    for one in [one for one in replacements if path == "/tests/" + one["path"] and "HTTP_RANGE" in environ]:
        replacements.remove(one)
        backend = s3_backends["123456789012"]["aws"]
        with lock:
            backend.put_object("tests", one["path"], backend.get_object("tests", one["by"]).value)
    if how == "lost":
        cut(environ)
    if how.startswith("etag:"):
        etags = [value for name, value in headers if name.lower() == "etag"]
        headers = [one for one in headers if one[0].lower() != "etag"]
        headers += [("ETag", how[5:] + value) for value in etags if how != "etag:none"]
    if method == "HEAD":
        start(status, [one for one in headers if how != "no-length" or one[0].lower() != "content-length"])
        return []
    headers = [(name, value) for name, value in headers if name.lower() not in ("content-length", "connection")]
    start(status, [*headers, ("Content-Length", str(len(answer)))])
    if how == "short":
        environ["werkzeug.socket"].sendall(b"")
        return Short(environ, answer[:len(answer) // 2])
    return [answer]


class Short:
    """A body that ends too early."""

    def __init__(self, environ, part):
        self.environ, self.part = environ, part

    def __iter__(self):
        yield self.part
        cut(self.environ)


class Handler(MotoRequestHandler):
    disable_nagle_algorithm = True  # header and body are sent apart

    def log_request(self, *_):
        pass

    def log(self, *_):
        pass

    def make_environ(self):
        # Werkzeug leaves out headers whose names have a "_".
        return {**super().make_environ(), "RAW_URI": self.path, "SIGN_ON_TOKEN": self.headers.get("x-amz-sso_bearer_token")}

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True


context = None
if len(sys.argv) > 1:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1])
server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Handler, ssl_context=context)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
os._exit(0)
