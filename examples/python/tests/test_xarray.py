"""xarray's engine "tessera", compared with its engine "zarr"."""

import asyncio
import pickle

import numpy as np
import pytest
import xarray
import xarray.backends.zarr
import zarr

import tessera


@pytest.fixture(params=[2, 3], ids=["v2", "v3"])
def stored(tmp_path, request):
    """A dataset of xarray's own, with what CF has: missing values, scales, times, coordinates; and a group below."""
    rng = np.random.default_rng(1)
    values = rng.random((6, 5, 8))
    values[rng.random(values.shape) < 0.2] = np.nan
    data = xarray.Dataset(
        {
            "t": (("time", "y", "x"), values, {"units": "K"}),
            "count": (("y", "x"), rng.integers(0, 9, (5, 8)).astype("int16")),
            "scalar": ((), 2.5),
            "flag": (("x",), np.arange(8) % 2 == 0),
            "phase": (("x",), np.arange(8) + 1j),
            "name": (("x",), np.array(list("abcdefgh"), object)),
        },
        {
            "time": np.datetime64("2020-01-01", "ns") + np.arange(6) * np.timedelta64(1, "h"),
            "x": np.linspace(0, 1, 8),
            "age": (("y",), np.arange(5) * np.timedelta64(1, "m")),
        },
        {"title": "ocean"},
    )
    encoding = {"t": {"dtype": "int16", "scale_factor": 1e-4, "add_offset": 0.5, "_FillValue": -9, "chunks": (2, 5, 4)}}
    path = tmp_path / "d.zarr"
    data.to_zarr(path, encoding=encoding, zarr_format=request.param, consolidated=True)
    data[["count"]].to_zarr(path, group="deep/one", zarr_format=request.param, mode="a", consolidated=True)
    return path


def test_the_same_datasets(stored):
    for options in (
        {},
        {"chunks": {}},
        {"mask_and_scale": False, "decode_times": False},
        {"group": "deep/one"},
        {"drop_variables": ["t", "x"]},
    ):
        ours = xarray.open_dataset(stored, engine="tessera", **options)
        theirs = xarray.open_dataset(stored, engine="zarr", consolidated=False, **options)
        xarray.testing.assert_identical(ours.load(), theirs.load())
        for name in theirs.variables:
            assert ours[name].dtype == theirs[name].dtype
            keep = (
                "chunks",
                "preferred_chunks",
                "shards",
                "fill_value",
                "_FillValue",
                "scale_factor",
                "dtype",
                "units",
            )
            of_ours, of_theirs = ours[name].encoding, theirs[name].encoding
            np.testing.assert_equal({k: of_ours.get(k) for k in keep}, {k: of_theirs.get(k) for k in keep})


def test_the_same_groups(stored):
    ours, theirs = (
        xarray.open_datatree(stored, engine="tessera"),
        xarray.open_datatree(stored, engine="zarr", consolidated=False),
    )
    xarray.testing.assert_identical(ours.load(), theirs.load())
    assert set(xarray.open_groups(stored, engine="tessera")) == set(
        xarray.open_groups(stored, engine="zarr", consolidated=False)
    )
    ours = xarray.open_datatree(stored, engine="tessera", group="deep")
    theirs = xarray.open_datatree(stored, engine="zarr", consolidated=False, group="deep")
    xarray.testing.assert_identical(ours.load(), theirs.load())
    assert [node.path for node in ours.subtree] == ["/", "/one"]


def indexers():
    """Of each kind; and those of a dimension reversed, repeated, empty, or out of order."""
    points = xarray.DataArray
    yield {"time": slice(1, 5, 2), "x": slice(None, None, -1)}
    yield {"time": 3, "y": -1}
    yield {"time": [4, 0, 0], "x": [7, 1]}
    yield {"time": [5, 2], "y": slice(4, None, -2), "x": 3}
    yield {"time": points([0, 5, 3], dims="p"), "x": points([7, 0, 2], dims="p")}
    yield {"time": points([[0, 5], [3, 1]], dims=("p", "q")), "y": slice(1, 4)}
    yield {"x": []}
    yield {"x": np.arange(8) > 4}


@pytest.mark.parametrize("indexer", indexers())
def test_lazy_indexing(stored, indexer):
    ours, theirs = (
        xarray.open_dataset(stored, engine="tessera"),
        xarray.open_dataset(stored, engine="zarr", consolidated=False).load(),
    )
    xarray.testing.assert_identical(ours.isel(indexer).load(), theirs.isel(indexer))
    twice = {"x": slice(1, None, 2)}
    xarray.testing.assert_identical(ours.isel(twice).isel({"x": [2, 0]}).load(), theirs.isel(twice).isel({"x": [2, 0]}))

    async def main():
        return await xarray.open_dataset(stored, engine="tessera").isel(indexer).load_async()

    xarray.testing.assert_identical(asyncio.run(main()), theirs.isel(indexer))


def test_only_what_is_needed_is_read(stored, monkeypatch):
    asked = []
    read = tessera.Array._read
    monkeypatch.setattr(
        tessera.Array,
        "_read",
        lambda array, selection, *more: asked.append(selection.shape) or read(array, selection, *more),
    )
    found = xarray.open_dataset(stored, engine="tessera").t
    asked.clear()
    found[1, 2:4].load()
    assert asked == [(2,), (2, 8)]  # of the coordinate age too


def test_it_travels(stored):
    ours = xarray.open_dataset(stored, engine="tessera", chunks={})
    assert ours.t.chunks == ((2, 2, 2), (5,), (4, 4))
    again = pickle.loads(pickle.dumps(ours))
    xarray.testing.assert_identical(again.load(), ours.load())


def test_stores(stored, tmp_path):
    expected = xarray.open_dataset(stored, engine="tessera").load()
    with zarr.storage.ZipStore(tmp_path / "d.zip", mode="w") as store:
        expected.to_zarr(store, consolidated=False)
    xarray.testing.assert_equal(xarray.open_dataset(tmp_path / "d.zip", engine="tessera").load(), expected)
    xarray.testing.assert_identical(xarray.open_dataset(tessera.open(stored), engine="tessera").load(), expected)


def test_fill_values_as_masks(tmp_path):
    array = tessera.create_group(tmp_path / "g.zarr").create_array(
        "a", shape=(3,), dtype="float32", fill_value=7, dimension_names=["x"]
    )
    array[1] = 1
    ours = xarray.open_dataset(tmp_path / "g.zarr", engine="tessera", use_zarr_fill_value_as_mask=True)
    np.testing.assert_array_equal(ours.a, [np.nan, 1, np.nan])
    np.testing.assert_array_equal(xarray.open_dataset(tmp_path / "g.zarr", engine="tessera").a, [7, 1, 7])


@pytest.mark.parametrize(
    "dtype, fill", [("float32", np.nan), ("float64", -np.inf), ("complex64", complex(1, np.nan)), ("bool", True)]
)
def test_fill_values(tmp_path, dtype, fill):
    tessera.create_group(tmp_path / "g.zarr").create_array(
        "a", shape=(3,), dtype=dtype, fill_value=fill, dimension_names=["x"]
    )
    found = xarray.open_dataset(tmp_path / "g.zarr", engine="tessera").a.encoding["fill_value"]
    np.testing.assert_equal(found, np.dtype(dtype).type(fill))


def test_a_home_folder(stored, monkeypatch):
    monkeypatch.setenv("HOME", str(stored.parent))
    found = xarray.open_dataset(f"~/{stored.name}", engine="tessera")
    xarray.testing.assert_identical(found, xarray.open_dataset(f"~/{stored.name}", engine="zarr"))


def test_an_attribute_named_as_dimensions_of_zarr_v2(tmp_path):
    array = zarr.create_group(tmp_path / "g.zarr").create_array("a", shape=(3,), dtype="int8", dimension_names=["x"])
    array.attrs["_ARRAY_DIMENSIONS"] = ["y"]
    ours, theirs = (xarray.open_dataset(tmp_path / "g.zarr", engine=engine) for engine in ("tessera", "zarr"))
    xarray.testing.assert_identical(ours, theirs)


def test_errors(tmp_path, stored):
    tessera.create_group(tmp_path / "g.zarr").create_array("a", shape=(3,), dtype="int8")
    with pytest.raises(tessera.MetadataError, match=r"g.zarr/a: found dimension_names \[\], expected 1: xarray needs"):
        xarray.open_dataset(tmp_path / "g.zarr", engine="tessera")
    assert len(xarray.open_dataset(tmp_path / "g.zarr", engine="tessera", drop_variables="a")) == 0
    with pytest.raises(tessera.NodeNotFound, match="there is no group deep/two"):
        xarray.open_dataset(stored, engine="tessera", group="deep/two")
    with pytest.raises(FileNotFoundError):
        xarray.open_dataset(tmp_path / "nothing", engine="tessera")
    with pytest.raises(tessera.StoreError, match="found nothing, expected one of follow_links"):
        xarray.open_dataset(stored, engine="tessera", storage_options={"nothing": 1})


def test_spaces(stored):
    if not tessera.info()["cuda"]:
        with pytest.raises(tessera.DeviceError, match="built without CUDA"):
            xarray.open_dataset(stored, engine="tessera", space="device")
        return
    theirs = xarray.open_dataset(stored, engine="tessera").load()
    xarray.testing.assert_identical(xarray.open_dataset(stored, engine="tessera", space="pinned").load(), theirs)
    try:
        import cupy  # noqa: F401
    except ImportError:
        with pytest.raises(tessera.DeviceError, match="space='device' without CuPy"):
            xarray.open_dataset(stored, engine="tessera", space="device", decode_times=False).load()
