import pytest

from hub_jax import bench
from tests import need


@pytest.mark.parametrize("lanes", [1, 64])
def test_the_scan_steps_whole_scans_and_counts_them(lanes):
    (scan,) = bench.pong_layers(lanes).values()
    assert scan(1) == bench.SCAN_STEPS * lanes
    assert scan(bench.SCAN_STEPS + 1) == 2 * bench.SCAN_STEPS * lanes


# gymnax's own code scatters float32 into int32.
@pytest.mark.filterwarnings("ignore:scatter inputs have incompatible types:FutureWarning")
def test_gymnaxs_pong_is_measured_in_the_same_kind_of_scan():
    need.module("gymnax")
    ((name, scan),) = bench.pong_peers(16).items()
    assert name == "gymnax Pong-misc scan"
    assert scan(1) == bench.SCAN_STEPS * 16
