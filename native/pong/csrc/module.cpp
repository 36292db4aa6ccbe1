#include <pybind11/stl.h>

#include "core.hpp"

PYBIND11_MODULE(_core, m) {
    namespace py = pybind11;
    using hub::PongCore;

    m.doc() = "The C core of Pong; use hub_pong.env or gymnasium.make instead.";
    m.attr("SOURCE_HASH") = HUB_SOURCE_HASH;
    hub::count_forks();

    py::class_<PongCore>(m, "PongCore", "Pong lanes over bound buffers; a hub.native.BatchCore.")
        .def(py::init<py::array, py::object, py::array, py::array, py::array, const std::string &,
                      std::optional<std::uint64_t>, std::optional<int>, bool, int>(),
             py::kw_only(), py::arg("observations"), py::arg("final_observations"),
             py::arg("rewards"), py::arg("terminations"), py::arg("truncations"),
             py::arg("autoreset"), py::arg("max_episode_steps"), py::arg("num_threads"),
             py::arg("compat"), py::arg("frame_skip"))
        .def("reset", &PongCore::reset, py::arg("seeds").noconvert(), py::arg("mask").noconvert())
        .def("step", &PongCore::step, py::arg("actions").noconvert())
        .def("step_lane", &PongCore::step_lane, py::arg("action"))
        .def("loop", &PongCore::loop, py::arg("actions").noconvert(), py::arg("batches"))
        .def("snapshot", &PongCore::snapshot)
        .def("restore", &PongCore::restore, py::arg("payload"))
        .def("lane", &PongCore::lane, py::arg("index"))
        .def("close", &PongCore::close)
        .def_property_readonly("num_threads", &PongCore::num_threads)
        .def_property_readonly("config", &PongCore::config);
}
