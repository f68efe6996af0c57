"""rclone's S3 server over a folder, for tests: rclone.py RCLONE FOLDER. It prints its port, and ends with its standard
input. It checks signatures by the key that tests/s3/server.py knows."""
import re
import subprocess
import sys

program, folder = sys.argv[1:]
rclone = subprocess.Popen([program, "serve", "s3", "--addr", "127.0.0.1:0", "--auth-key", "AKIDTEST,sEcret/of+the=test",
                           "--config", "", "--vfs-cache-mode", "off", folder],
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
for line in rclone.stderr:
    if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
        print(found[1], flush=True)
        break
sys.stdin.read()
rclone.kill()
rclone.wait()
