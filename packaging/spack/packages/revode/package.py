# SPDX-License-Identifier: Apache-2.0
# Not run: 2026-11-24.
from spack.package import *


class Revode(CMakePackage):
    """Ordinary differential equations in C++20 and exact gradients of what was computed, in the memory you choose."""

    license("Apache-2.0")

    version("main", branch="main")

    variant("command", default=True, description="The revode command")
    variant("klu", default=False, description="Sparse factors by SuiteSparse's KLU")
    variant("odeint", default=False, description="Boost.Odeint's systems and steppers")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("eigen@3.4:")
    depends_on("cli11", when="+command")
    depends_on("nlohmann-json", when="+command")
    depends_on("suite-sparse", when="+klu")
    depends_on("boost", when="+odeint")
    conflicts("%gcc@:11", msg="C++20 concepts as g++ 12 has them")

    def cmake_args(self):
        return [
            self.define_from_variant("REVODE_COMMAND", "command"),
            self.define_from_variant("REVODE_KLU", "klu"),
            self.define_from_variant("REVODE_ODEINT", "odeint"),
            self.define("REVODE_BATCH", False),
            self.define("REVODE_RANDOM123", False),
        ]
