#!/usr/bin/env python3
"""run.py FOLDER LIBRARY...: the program of program.cpp, whose object is in a library, under each MPI and by 1 to 7 ranks."""
import sys

from programs import compiled, empty, kinds, on_two_nodes, run

folder, libraries = empty(sys.argv[1]), sys.argv[2:]
for kind in kinds():
    program = compiled(folder, kind, libraries)
    for ranks in (1, 2, 3, 4, 7):
        arrays = folder / f"arrays{kind}-{ranks}"
        arrays.mkdir()
        run(f"mpirun{kind}", "-n", str(ranks), program, "arrays", arrays)
    arrays = folder / f"nodes{kind}"
    arrays.mkdir()
    if two := on_two_nodes(kind, folder):
        run(*two, program, "nodes", arrays)
    arrays = folder / f"killed{kind}"
    arrays.mkdir()
    run(f"mpirun{kind}", "-n", "3", program, "killed", arrays, ends_well=False)
    run(f"mpirun{kind}", "-n", "1", program, "opens", arrays)
    said = "two nodes" if two else "two nodes are not simulated with this MPI"
    print(f"mpirun{kind}: 1, 2, 3, 4 and 7 ranks; {said}; a killed rank")
