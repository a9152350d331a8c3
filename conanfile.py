# SPDX-License-Identifier: Apache-2.0
"""Conan 2: conan create . -s compiler.cppstd=20; with -o '&:system_eigen=True' Eigen is the system's.

The package's own revodeConfig.cmake is found, not targets made by Conan, which would lose the two flags that equal bits need.
"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Revode(ConanFile):
    name = "revode"
    description = "Ordinary differential equations and exact gradients, in the memory you choose"
    license = "Apache-2.0"
    topics = ("ode", "gradients", "adjoint", "checkpointing")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"system_eigen": [True, False]}
    default_options = {"system_eigen": False}
    exports_sources = "CMakeLists.txt", "cmake/*", "include/*", "solvers/*", "adjoint/*", "src/*", "LICENSE"
    test_package_folder = "packaging/conan/test_package"
    generators = "CMakeDeps"

    def set_version(self):
        config = load(self, os.path.join(self.recipe_folder, "include/revode/config.hpp"))
        self.version = re.search(r'REVODE_VERSION "?([0-9.]+)', config).group(1)

    def requirements(self):
        if not self.options.system_eigen:
            self.requires("eigen/3.4.0", transitive_headers=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("COMMAND", "ANY", "KLU", "ODEINT", "RANDOM123", "BATCH"):
            toolchain.cache_variables[f"REVODE_{part}"] = "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install(component="revode_development")
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "revode")]
