"""Options of stores, by fsspec's names. No message and no repr shows their values."""

import contextlib
import functools
import http.server
import pathlib
import pickle
import subprocess
import threading
import urllib.request

import numpy as np
import pytest

import tessera

SECRET = "sEcret/of+the=test"


@contextlib.contextmanager
def served(folder, wanted):
    """The address of a server that answers only requests with that header."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            name, value = wanted
            if self.headers.get(name) != value:
                self.send_error(401)
            else:
                super().do_GET()

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder)) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            serving.join()


@pytest.mark.parametrize(
    "given", [lambda headers: {"headers": headers}, lambda headers: {"client_kwargs": {"headers": headers}}]
)
def test_headers(made, given):
    array, expected = made
    options = given({"Authorization": f"Bearer {SECRET}"})
    with served(pathlib.Path(array.store_path).parent, ("Authorization", f"Bearer {SECRET}")) as address:
        found = tessera.open(f"{address}/a.zarr", storage_options=options)
        np.testing.assert_array_equal(found[...], expected)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(found))[...], expected)
        with pytest.raises(tessera.StoreError, match="401") as caught:
            tessera.open(
                f"{address}/a.zarr", storage_options=given({"Authorization": f"Basic {SECRET}"}) | {"retries": 0}
            )
        for text in (repr(found), str(found.info), str(caught.value), repr(vars(found)), repr(vars(found._store))):
            assert SECRET not in text


@pytest.fixture(scope="module")
def buckets():
    """The address of a server of buckets."""
    tests = pathlib.Path(__file__).resolve().parents[3] / "tests"
    python = tests.parent / "build/s3-venv/bin/python"
    if not python.exists():
        pytest.skip(f"there is no {python}, which tests/run.sh makes")
    with subprocess.Popen(
        [python, tests / "s3/server.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        address = f"http://127.0.0.1:{int(server.stdout.readline())}"
        urllib.request.urlopen(f"{address}/-/bucket?name=options").close()
        yield address
        server.stdin.close()


def test_a_bucket_without_the_environment(buckets, monkeypatch):
    for name in ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    keys = {"key": "AKIDTEST", "secret": SECRET}
    options = keys | {"endpoint_url": buckets, "region": "us-east-1", "addressing_style": "path"}
    group = tessera.create_group("s3://options/g.zarr", storage_options=options)
    array = group.create_array("a", shape=(6,), chunks=(2,), dtype="int16")
    array[...] = np.arange(6)
    of_fsspec = keys | {"client_kwargs": {"endpoint_url": buckets, "region_name": "us-east-1"}}
    found = tessera.open("s3://options/g.zarr/a", mode="r+", storage_options=of_fsspec)
    found[0] = 9
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found))[...], [9, 1, 2, 3, 4, 5])
    assert list(tessera.open_group("s3://options/g.zarr", mode="a", storage_options=options)) == ["a"]
    wrong = options | {"secret": "another" + SECRET}
    with pytest.raises(tessera.StoreError, match="403") as caught:
        tessera.open("s3://options/g.zarr", storage_options=wrong)
    for text in (repr(group), str(caught.value), repr(vars(group._store))):
        assert SECRET not in text


@pytest.mark.parametrize(
    "address, options, words",
    [
        ("s3://bucket/a", {"secret": SECRET}, "one of key and secret, expected both"),
        ("gs://bucket/a", {"key": SECRET}, "one of key and secret, expected both"),
        ("az://account/a?sv=1&sig=" + SECRET, {}, r"expected a shared access signature in storage_options\['sas_token"),
        ("s3://bucket/a", {"password": SECRET}, "found password, expected one of endpoint_url"),
        (
            "s3://bucket/a",
            {"client_kwargs": {"verify": SECRET}},
            "found verify in client_kwargs, expected one of endpoint_url",
        ),
        ("s3://bucket/a", {"key": [SECRET], "secret": SECRET}, "found key of type list, expected str"),
        ("s3://bucket/a", {"anon": 1}, "found anon of type int, expected bool"),
        ("s3://bucket/a", {"addressing_style": SECRET}, "another addressing_style than auto, virtual, path"),
        ("http://u:%s@127.0.0.1:9/a" % SECRET.replace("/", ""), {"retries": -1}, "retries=-1, expected 0 or more"),
        ("http://127.0.0.1:9/a", {"most_at_once": 0}, "most_at_once=0, expected 1 or more"),
        ("http://127.0.0.1:9/a", {"headers": {"X": 1}}, "headers that are not text"),
        ("http://127.0.0.1:9/a", {"headers": {"X": f"{SECRET}\n"}}, "a header that is not a line"),
        ("a.zarr", {"anon": True}, "found anon, expected one of follow_links$"),
        ("http://127.0.0.1:9/a", {"missing": [SECRET]}, "found missing with something else than status codes"),
        ("http://127.0.0.1:9/a", {"client_kwargs": SECRET}, "found client_kwargs of type str, expected dict"),
        ("a.zarr", {"client_kwargs": {"a": 1}}, "found a in client_kwargs, expected one of none"),
    ],
)
def test_options_that_are_wrong(address, options, words):
    with pytest.raises(tessera.StoreError, match=words) as caught:
        tessera.open(address, storage_options=options)
    assert SECRET not in str(caught.value) and SECRET.replace("/", "") not in str(caught.value)


def test_links_in_folders(tmp_path):
    tessera.create_array(tmp_path / "real.zarr", shape=(3,), chunks=(3,), dtype="int8")[...] = 5
    tessera.create_group(tmp_path / "g.zarr")
    (tmp_path / "g.zarr" / "a").symlink_to(tmp_path / "real.zarr")
    with pytest.raises(tessera.StoreError, match="storage_options={'follow_links': True} follows links"):
        tessera.open(tmp_path / "g.zarr")["a"]
    group = pickle.loads(pickle.dumps(tessera.open(tmp_path / "g.zarr", storage_options={"follow_links": True})))
    assert (group["a"][...] == 5).all()
