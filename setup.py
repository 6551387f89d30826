"""The kernels of `trix.core` as extension modules; all else about the package stands in pyproject.toml.

Cython translates each module of `trix/core` to C, and the C compiler makes of it one file that loads under every
Python from 3.11 on (limited API). All compilers give the same arithmetic, to the last bit: no fast-math, no fused
multiply-add, and only the instructions that every processor of a platform has.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from multiprocessing import get_start_method
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).resolve().parent))  # setuptools runs this file as text

from build_backend.toolchain import SHARED, check_headers, has_compiler, is_stale, kernels, packaged_compiler

# Pythons without a global lock have no limited API.
LIMITED_API = not sysconfig.get_config_var("Py_GIL_DISABLED")

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": True,  # damaged data are an IndexError, never a crash
    "wraparound": False,
    "cdivision": True,  # float division as C does it; whole numbers are divided by constants alone
    "freethreading_compatible": True,
    "show_performance_hints": False,  # a test reads them
}

FLAGS = ["-O3", "-g0", "-ffp-contract=off", "-fno-math-errno"]  # of gcc and clang, after those of Python
# Of clang in ziglang, without those of Python; else it takes this processor's instructions, and traps what overflows.
ZIG_FLAGS = [*FLAGS, "-mcpu=baseline", "-fno-sanitize=undefined", "-fwrapv", "-fPIC", "-DNDEBUG", "-w"]
MSVC_FLAGS = ["/O2", "/fp:precise"]


def extension(name: str, source: str) -> Extension:
    """Return an extension module of `trix.core`."""
    return Extension(
        f"trix.core.{name}",
        [f"trix/core/{source}"],
        define_macros=[("Py_LIMITED_API", "0x030B0000")] if LIMITED_API else [],
        py_limited_api=LIMITED_API,
        libraries=[] if os.name == "nt" else ["m"],
    )


class BuildKernels(build_ext):
    """Translate and compile; a checkout whose kernels are newer than their sources is left as it is."""

    def run(self) -> None:
        if self.force or not self.inplace or is_stale():
            super().run()

    def build_extensions(self) -> None:
        check_headers()
        flags = self._choose_compiler()
        self._translate()
        for each in self.extensions:
            each.extra_compile_args = flags
        super().build_extensions()

    def _choose_compiler(self) -> list[str]:
        """Use the compiler that came as a Python package if the machine has none, and return the flags of either."""
        if self.compiler.compiler_type == "msvc":
            return MSVC_FLAGS
        if has_compiler():
            return FLAGS
        command = packaged_compiler()
        self.compiler.set_executables(compiler=command, compiler_so=command, linker_so=[*command, "-shared"])
        return ZIG_FLAGS

    def _translate(self) -> None:
        """Replace the sources in Python by sources in C; in forked processes, since others would run this file."""
        from Cython.Build import cythonize

        translated = cythonize(
            self.extensions,
            build_dir=self.build_temp,
            compiler_directives=DIRECTIVES,
            shared_utility_qualified_name=f"trix.core.{SHARED}",
            nthreads=self.parallel if get_start_method() == "fork" else 0,
            force=True,
            quiet=True,
        )
        sources = {each.name: each.sources for each in translated}
        for each in self.extensions:  # with marks of setuptools, which those that come back have not
            each.sources = sources[each.name]


class BuildModules(build_py):
    """Leave the sources of kernels out of a wheel."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        found = super().find_package_modules(package, package_dir)
        return [each for each in found if package != "trix.core" or each[1] == "__init__"]


if __name__ == "__main__":
    setup(
        ext_modules=[*(extension(name, f"{name}.py") for name in kernels()), extension(SHARED, f"{SHARED}.c")],
        cmdclass={"build_ext": BuildKernels, "build_py": BuildModules},
        options={
            "build_ext": {"parallel": os.cpu_count()},
            "bdist_wheel": {"py_limited_api": "cp311"} if LIMITED_API else {},
        },
    )
