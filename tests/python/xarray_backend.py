"""xarray's own tests of its engine "zarr", which writes in them, with datasets read by tessera. For xarray_tests.py."""

import contextlib
import os

import xarray
from xarray.tests.test_backends import TestZarrDirectoryStore as OfZarr
from xarray.tests.test_backends import default_zarr_format  # noqa: F401  # its fixture: in both formats

ENGINE = os.environ.get("TESSERA_XARRAY_ENGINE", "tessera")


class TestRead(OfZarr):
    @contextlib.contextmanager
    def open(self, path, **options):
        with xarray.open_dataset(path, engine=ENGINE, **options) as found:
            yield found


del OfZarr
