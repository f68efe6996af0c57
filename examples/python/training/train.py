"""Trains a small network to remove noise from random crops, and prints the share of time that it waits for them:

  train.py ARRAY [--crop 32] [--batch 8] [--steps 50] [--cache 268435456] [--space device]

On several processes, each with its own share of the crops: torchrun --nproc-per-node 2 train.py ARRAY"""

import argparse
import os

import torch
import torch.distributed as processes

import tessera

arguments = argparse.ArgumentParser(usage=__doc__)
arguments.add_argument("array")
arguments.add_argument("--crop", type=int, default=32)
arguments.add_argument("--batch", type=int, default=8)
arguments.add_argument("--steps", type=int, default=50)
arguments.add_argument("--cache", type=int, default=1 << 28)
arguments.add_argument("--space", default="device" if torch.cuda.is_available() else "host")
options = arguments.parse_args()


class Crops(torch.utils.data.IterableDataset):
    def __init__(self, loader):
        self.loader = loader
    def __iter__(self):
        return map(torch.from_dlpack, self.loader)


rank, ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
if torch.cuda.is_available():
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))  # before tessera uses the thread's device
where = torch.device("cuda" if torch.cuda.is_available() else "cpu")
first, last = torch.nn.Conv3d(1, 8, 3, padding=1), torch.nn.Conv3d(8, 1, 3, padding=1)
network = torch.nn.Sequential(first, torch.nn.ReLU(), last).to(where)
if ranks > 1:
    processes.init_process_group("nccl" if where.type == "cuda" else "gloo")
    network = torch.nn.parallel.DistributedDataParallel(network)
optimizer = torch.optim.Adam(network.parameters())

array = tessera.open(options.array, space=options.space)
crops = options.batch * options.steps * ranks
boxes = tessera.UniformBoxes(array.shape, (options.crop,) * 3, crops, seed=7, rank=rank, ranks=ranks)
loader = tessera.Loader(array, boxes, batch=options.batch, cache=options.cache)
for batch in torch.utils.data.DataLoader(Crops(loader), batch_size=None):
    clean = batch.to(where).unsqueeze(1).float() / 255
    loss = torch.nn.functional.mse_loss(network(clean + 0.1 * torch.randn_like(clean)), clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    error = loss.item()  # waits for the GPU: time in the loader is then time that the GPU has no work
did = loader.statistics()
print(f"rank {rank}: {did.boxes} crops, {did.decoded} of {did.chunks} chunks decoded, loss {error:.4f}")
print(f"rank {rank}: waited {100 * did.share_waited():.1f} % of {did.seconds:.2f} s")
