"""gpumemprof for Spack 1.0 and later. scripts/release.sh fills in what is between at signs."""
from spack.package import depends_on, license, version
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Gpumemprof(CMakePackage):
    """GPU memory per source line for CUDA C and C++: a plugin for clang, a runtime, and a command that shows what they recorded."""

    url = "@URL@"

    license("Apache-2.0")

    version("@VERSION@", sha256="@SHA256@")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    # The plugin is for the clang of this package, with which programs are compiled.
    depends_on("llvm@22+clang", type=("build", "link", "run"))
    depends_on("util-linux")  # libsmartcols
    depends_on("jansson")
    depends_on("zlib-api")
    depends_on("elfutils")
    depends_on("sqlite")
    depends_on("ncurses")
    depends_on("zstd")
    depends_on("python@3.9:", type=("build", "run"))

    def cmake_args(self):
        return [
            self.define("GPUMEMPROF_TESTS", False),
            self.define("GPUMEMPROF_LLVM_VERSIONS", "22"),
            self.define("GPUMEMPROF_LLVM_CONFIG_22", self.spec["llvm"].prefix.bin.join("llvm-config")),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.lib.python3.join("dist-packages"))
