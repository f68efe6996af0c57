#!/usr/bin/env python3
"""restart.py PROGRAM FOLDER MPIEXEC OPTION [COMMAND]: four ranks and then three write the bytes that one rank writes;
the command tessera draws a picture of the last step."""
import os
import pathlib
import shutil
import subprocess
import sys

program, folder, mpiexec, option = sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:5]
os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}
shutil.rmtree(folder, ignore_errors=True)
for name, ranks, steps in ("alone", 1, 40), ("together", 4, 20), ("together", 3, 20):
    command = [mpiexec, option, str(ranks), program, folder / name, str(steps)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{ranks} ranks ended with {done.returncode}: {done.stdout}{done.stderr}")
if done.stdout != "[4, 40, 40, 40]\n":
    sys.exit(f"found the shape {done.stdout}")
files = [{file.relative_to(folder / name): file.read_bytes() for file in (folder / name).rglob("*") if file.is_file()}
         for name in ("alone", "together")]
if files[0] != files[1] or len(files[0]) != 30:  # two documents; four shards, then eight: the cold ones are not stored
    sys.exit(f"found {len(files[1])} files, which are not the {len(files[0])} that one rank writes")

for tessera in sys.argv[5:]:
    picture = folder / "heat.png"
    command = [tessera, "view", folder / "together/temperature", "--index", "time=3,x=20", "--output", picture]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout.endswith(", time 3, x 20, 40 x 40, min 0, max 100\n"):
        sys.exit(f"tessera view ended with {done.returncode}: {done.stdout}{done.stderr}")
    if not picture.read_bytes().startswith(b"\x89PNG"):
        sys.exit(f"{picture} is no picture")
