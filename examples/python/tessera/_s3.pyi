from ._tessera import Store

def store(
    address: str,
    *,
    endpoint_url: str,
    region: str,
    key: str,
    secret: str,
    token: str,
    profile: str,
    sas_token: str,
    account_key: str,
    anon: bool,
    addressing_style: str,
    one_writer: bool,
    retries: int,
    most_at_once: int,
    certificates: str,
) -> Store: ...
