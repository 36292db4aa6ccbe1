import pytest

from tests import need

bench = need.module("hub_pong.bench")


@pytest.mark.parametrize("lanes", [1, 256])
def test_every_layer_steps_the_batches_it_is_asked_for(lanes):
    layers = bench.layers(lanes)
    assert list(layers) == ["bare C loop", "C call"]
    counts = {name: advance(3000) for name, advance in layers.items()}
    assert counts["bare C loop"] == counts["C call"]
    assert 2990 * lanes <= counts["C call"] < 3000 * lanes
