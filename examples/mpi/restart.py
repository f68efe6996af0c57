#!/usr/bin/env python3
"""restart.py PROGRAM FOLDER MPIEXEC OPTION: four ranks and then three write the bytes that one rank writes."""
import os
import pathlib
import shutil
import subprocess
import sys

program, folder, mpiexec, option = sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:]
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
