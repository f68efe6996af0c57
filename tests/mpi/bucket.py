#!/usr/bin/env python3
"""bucket.py FOLDER LIBRARY...: the program of bucket.cpp under each MPI: an array in a bucket of moto's S3, which
tests/s3/server.py serves on loopback. Two and three ranks write the objects that one process writes, byte for byte."""
import os
import subprocess
import sys
import urllib.request
import xml.etree.ElementTree

from programs import compiled, empty, kinds, root, run

python = root / "build/s3-venv/bin/python"
if not python.exists():
    print(f"not run: ranks in a bucket (there is no {python}, which tests/run.sh makes)")
    sys.exit(0)
for name in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[name]
os.environ |= {"AWS_EC2_METADATA_DISABLED": "true", "no_proxy": "127.0.0.1,localhost"}


def get(path):
    with opener.open(f"{address}{path}", timeout=30) as answer:
        return answer.read()


def objects(folder):
    """The bytes of each object below a folder of the bucket, by name."""
    listing = xml.etree.ElementTree.fromstring(get(f"/public?list-type=2&prefix={folder}/"))
    keys = [found.text for found in listing.iter() if found.tag.endswith("}Key")]
    return {key.removeprefix(folder + "/"): get(f"/public/{key}") for key in keys}


opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
folder, libraries = empty(sys.argv[1]), sys.argv[2:]
server = subprocess.Popen([python, root / "tests/s3/server.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
try:
    address = f"http://127.0.0.1:{int(server.stdout.readline())}"
    get("/-/bucket?name=public")
    for kind in kinds():
        program = compiled(folder, kind, libraries)
        run(f"mpirun{kind}", "-n", "1", program, address, f"alone{kind}")
        alone = objects(f"alone{kind}")
        assert len(alone) == 14, sorted(alone)  # twelve shards, and two documents
        for ranks in (2, 3):
            where = f"ranks{kind}-{ranks}"
            run(f"mpirun{kind}", "-n", str(ranks), program, address, where)
            found = objects(where)
            assert found.keys() == alone.keys(), (where, sorted(found), sorted(alone))
            assert found == alone, (where, [key for key in alone if found[key] != alone[key]])
        print(f"mpirun{kind}: the objects of 2 and of 3 ranks are those of one process")
finally:
    server.stdin.close()
    server.wait(timeout=30)
