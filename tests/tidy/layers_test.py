import unittest

import check_headers
import check_layers
from planted import PlantedCase


class Chain(PlantedCase):
    def test_allows_what_the_table_allows(self):
        self.plant({"messages/wire/codec.cpp": "#include <muster/messages/values/ids.hpp>\n#include <vector>\n"})
        self.assert_clean(check_layers.check_chain)

    def test_finds_a_box_that_looks_up(self):
        self.plant({"messages/values/ids.cpp": "\n#include <muster/messages/wire/codec.hpp>\n"})
        self.assert_finds(check_layers.check_chain, "messages/values/ids.cpp:2:", "may not know messages/wire")

    def test_finds_an_implementation_named_above_its_interface(self):
        self.plant({"actors/shells/a.cpp": "#include <muster/messages/transport/zmq/zmq_transport.hpp>\n"})
        self.assert_finds(check_layers.check_chain, "actors/shells may not know messages/transport/zmq")

    def test_finds_a_folder_that_is_in_no_box(self):
        self.plant({"tools/a.cpp": "#include <muster/messages/values/ids.hpp>\n"})
        self.assert_finds(check_layers.check_chain, "tools/a.cpp is in no box")

    def test_finds_a_quoted_include(self):
        self.plant({"runtime/host.cpp": '#include "../actors/shells/reactor.hpp"\n'})
        self.assert_finds(check_layers.check_chain, "[quoted]", "../actors/shells/reactor.hpp")

    def test_passes_over_includes_in_comments(self):
        self.plant({"messages/values/ids.hpp": '// #include "x.hpp"\n/* \n#include <muster/runtime/host.hpp>\n*/\n'})
        self.assert_clean(check_layers.check_chain)


class NamedLibraries(PlantedCase):
    def test_allows_each_library_in_its_box(self):
        self.plant({"messages/transport/zmq/a.cpp": "#include <zmq.hpp>\n", "actors/shells/b.hpp": "#include <caf/actor.hpp>\n",
                    "messages/wire/c.cpp": "#include <google/protobuf/arena.h>\n", "runtime/d.cpp": "#include <spdlog/spdlog.h>\n"})
        self.assert_clean(check_layers.check_named_libraries)

    def test_finds_zeromq_in_the_wire(self):
        self.plant({"messages/wire/a.cpp": "#include <zmq.h>\n"})
        self.assert_finds(check_layers.check_named_libraries, "messages/wire/a.cpp:1:", "ZeroMQ")

    def test_finds_protobuf_outside_the_wire(self):
        self.plant({"runtime/a.cpp": "#include <muster/messages/wire/control.pb.h>\n"})
        self.assert_finds(check_layers.check_named_libraries, "Protobuf is not for runtime")

    def test_finds_caf_in_the_test_of_a_protocol(self):
        self.plant({"tests/protocols/a_test.cpp": "#include <caf/actor_system.hpp>\n"})
        self.assert_finds(check_layers.check_named_libraries, "CAF")

    def test_finds_logging_below_the_shells(self):
        self.plant({"devices/cpu/a.cpp": "#include <spdlog/spdlog.h>\n"})
        self.assert_finds(check_layers.check_named_libraries, "spdlog")

    def test_finds_cuda_outside_its_back_end(self):
        self.plant({"devices/device.hpp": "#include <cuda_runtime.h>\n"})
        self.assert_finds(check_layers.check_named_libraries, "CUDA")


class ReachedLibraries(PlantedCase):
    """These run the compiler."""

    def test_allows_what_comes_from_the_standard_library(self):
        self.plant({"messages/values/a.hpp": "#include <vector>\n", "messages/values/a.cpp": "#include <muster/messages/values/a.hpp>\n"})
        self.plant_commands("messages/values/a.cpp")
        self.assert_clean(check_layers.check_reached_libraries)

    def test_finds_a_library_that_comes_by_a_detour(self):
        self.plant_system_headers("caf/actor.hpp", "harmless.hpp")
        (self.scratch / "usr/include/harmless.hpp").write_text("#include <caf/actor.hpp>\n")
        self.plant({"actors/protocols/a.cpp": "#include <vector>\n#include <harmless.hpp>\n"})
        self.plant_commands("actors/protocols/a.cpp")
        self.assert_finds(check_layers.check_reached_libraries, "actors/protocols/a.cpp:2:", "<harmless.hpp> leads to CAF")

    def test_finds_a_private_header_of_the_wire_that_left_it(self):
        self.plant_system_headers("google/protobuf/arena.h")
        self.plant({"messages/wire/parts.hpp": "#include <google/protobuf/arena.h>\n",
                    "messages/transport/a.hpp": "#include <muster/messages/wire/parts.hpp>\n"})
        self.plant_commands("messages/wire/a.cpp")
        self.assert_finds(check_layers.check_reached_libraries, "messages/transport/a.hpp:1:", "leads to Protobuf")

    def test_is_not_fooled_by_a_precompiled_header(self):
        self.plant_system_headers("caf/actor.hpp")
        self.plant({"messages/values/a.cpp": "#include <cmake_pch.hxx>\n"})
        (self.scratch / "usr/include/cmake_pch.hxx").write_text("#include <caf/actor.hpp>\n")
        self.plant_commands("messages/values/a.cpp")
        commands = (self.build / "compile_commands.json")
        commands.write_text(commands.read_text().replace("-std", "-Winvalid-pch -include /nowhere/cmake_pch.hxx -std"))
        self.assert_finds(check_layers.check_reached_libraries, "leads to CAF")

    def test_says_so_when_the_compiler_cannot_read_an_include(self):
        self.plant({"messages/values/a.cpp": "#include <no_such_header.hpp>\n"})
        self.plant_commands("messages/values/a.cpp")
        self.assert_finds(check_layers.check_reached_libraries, "can't read", "no_such_header.hpp")


class SelfContainedHeaders(PlantedCase):
    def test_pass_and_are_remembered(self):
        self.plant({"messages/values/a.hpp": "#pragma once\n#include <vector>\ninline std::vector<int> v;\n"})
        self.plant_commands()
        self.assert_clean(check_headers.check_self_contained)
        self.assertIn('"', (self.build / "tidy-headers.json").read_text())
        self.assert_clean(check_headers.check_self_contained)

    def test_one_that_its_source_includes_first_is_left_to_the_build(self):
        self.plant({"messages/values/a.hpp": "#pragma once\nstd::vector<int> v();\n",
                    "messages/values/a.cpp": "#include <muster/messages/values/a.hpp>\n#include <vector>\n"})
        self.plant_commands("messages/values/a.cpp")
        self.assert_clean(check_headers.check_self_contained)

    def test_a_source_that_includes_another_first_shows_nothing(self):
        self.plant({"messages/values/a.hpp": "#pragma once\nstd::vector<int> v();\n",
                    "messages/values/a.cpp": "#include <vector>\n#include <muster/messages/values/a.hpp>\n"})
        self.plant_commands("messages/values/a.cpp")
        self.assert_finds(check_headers.check_self_contained, "messages/values/a.hpp")

    def test_a_header_that_leans_on_its_includer_is_found(self):
        self.plant({"messages/values/a.hpp": "#pragma once\nstd::vector<int> v();\n"})
        self.plant_commands()
        self.assert_finds(check_headers.check_self_contained, "messages/values/a.hpp:1: [alone]", "std")

    def test_a_header_is_looked_at_again_when_one_that_it_reads_changes(self):
        self.plant({"messages/values/b.hpp": "#pragma once\nusing number = int;\n",
                    "messages/values/a.hpp": "#pragma once\n#include <muster/messages/values/b.hpp>\nnumber f();\n"})
        self.plant_commands()
        self.assert_clean(check_headers.check_self_contained)
        self.plant({"messages/values/b.hpp": "#pragma once\nusing count = int;\n"})
        self.assert_finds(check_headers.check_self_contained, "messages/values/a.hpp", "number")


if __name__ == "__main__":
    unittest.main()
