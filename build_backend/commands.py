"""The commands of setuptools, as Trix builds its extension modules: in parallel, and only what is not up to date."""

from __future__ import annotations

import os
import shutil
import sys
from multiprocessing import get_start_method
from pathlib import Path

from extensions import (
    COMPILER_PACKAGE,
    CORE,
    DIRECTIVES,
    FLAGS,
    LIMITED_API,
    MACROS,
    MSVC_FLAGS,
    SHARED,
    ZIG_FLAGS,
    built_file,
    check_headers,
    has_compiler,
    is_stale,
    module_names,
    zig,
)
from setuptools import Extension
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py


def extensions() -> list[Extension]:
    """Return the extension modules; their sources are translated when they are compiled."""

    def extension(name: str, source: str) -> Extension:
        libraries = [] if os.name == "nt" else ["m"]
        limited = {"py_limited_api": True} if LIMITED_API else {}
        return Extension(
            f"trix.core.{name}", [f"trix/core/{source}"], define_macros=MACROS, libraries=libraries, **limited
        )

    return [*(extension(name, f"{name}.py") for name in module_names()), extension(SHARED, f"{SHARED}.c")]


class BuildExtensions(build_ext):
    """Translates and compiles; extensions of a checkout that are up to date are taken as they are."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        self._in_checkout = bool(self.inplace or getattr(self, "editable_mode", False))
        super().run()

    def build_extensions(self) -> None:
        if self._in_checkout and not self.force and not is_stale():
            for each in self.extensions:
                target = Path(self.get_ext_fullpath(each.name))
                target.parent.mkdir(parents=True, exist_ok=True)
                built = built_file(each.name.rpartition(".")[2])
                if built is not None and built != target.resolve():
                    shutil.copy2(built, target)
            return
        check_headers()
        self._choose_compiler()
        self._translate()
        super().build_extensions()

    def _choose_compiler(self) -> None:
        flags = MSVC_FLAGS if self.compiler.compiler_type == "msvc" else list(FLAGS)
        if not has_compiler():
            command = zig()
            if command is None:
                sys.exit(
                    "trix: error: there is no C compiler: install one (Debian, Ubuntu: apt-get install gcc libc6-dev), "
                    f"or pip install '{COMPILER_PACKAGE}'"
                )
            self.compiler.set_executables(compiler=command, compiler_so=command, linker_so=[*command, "-shared"])
            flags += ZIG_FLAGS
        for each in self.extensions:
            each.extra_compile_args = flags

    def _translate(self) -> None:
        from Cython.Build import cythonize

        # Processes that are forked; others would run the build script again.
        at_once = self.parallel if get_start_method() == "fork" else 0
        translated = cythonize(
            self.extensions,
            build_dir=self.build_temp,
            compiler_directives=DIRECTIVES,
            shared_utility_qualified_name=f"trix.core.{SHARED}",
            nthreads=at_once,
            force=True,
            quiet=True,
        )
        sources = {each.name: each.sources for each in translated}
        for each in self.extensions:
            each.sources = sources[each.name]


class BuildModules(build_py):
    """Leaves the sources of extension modules out of a wheel."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        found = super().find_package_modules(package, package_dir)
        return [each for each in found if package != "trix.core" or each[1] == "__init__"]

    def find_data_files(self, package: str, src_dir: str) -> list[str]:
        found = super().find_data_files(package, src_dir)
        return [each for each in found if Path(each).parent.resolve() != CORE]
