from ._tessera import Store

def store(
    address: str, *, headers: list[str], missing: list[int], retries: int, most_at_once: int, certificates: str
) -> Store: ...
