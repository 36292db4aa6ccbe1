"""Single environments whose infos Gymnasium's merging or a JSON file would corrupt."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.hub.conformance.mutants.good import Good


class LambdaInInfo(Good):
    def info(self) -> dict[str, Any]:
        return {"f": lambda: 0}


class IntKeyInInfo(Good):
    def info(self) -> dict[str, Any]:
        return {7: 1.0}  # type: ignore[dict-item]  # the fault


class InfoIntThenFloat(Good):
    def info(self) -> dict[str, Any]:
        return {"score": 1 if self.t == 0 else 0.5}


class InfoRagged(Good):
    def info(self) -> dict[str, Any]:
        return {"seen": np.arange(self.t)}


class InfoLongerString(Good):
    def info(self) -> dict[str, Any]:
        return {"name": np.array("a" * (1 + self.t % 3))}


class InfoMaskClash(Good):
    def info(self) -> dict[str, Any]:
        return {"x": 1.5, "_x": 2.5}


class InfoReservedKey(Good):
    def info(self) -> dict[str, Any]:
        return {"final_obs": 1}


class InfoDictThenNumber(Good):
    def info(self) -> dict[str, Any]:
        return {"x": {"a": 1} if self.t == 0 else 1}
