from ._tessera import Store

def store(path: str) -> Store:
    """It is read only."""

class Draft:
    """A zip file that is written: what was written becomes the file by `flush`."""

    def __init__(self, path: str, overwrite: bool) -> None: ...
    @property
    def store(self) -> Store: ...
    def flush(self) -> None: ...
