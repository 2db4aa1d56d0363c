"""The wheel: the package, and in it a whole installation of smsched. `tools/python/wheel` lays out both."""
import subprocess

from setuptools import setup
from wheel.bdist_wheel import bdist_wheel


class Wheel(bdist_wheel):
    """A wheel for any Python on one kind of machine."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


VERSION = subprocess.check_output(["smsched/installed/bin/smsched", "--version"], text=True).split()[1]

setup(
    name="smsched",
    version=VERSION,
    description="Simulates how GPUs are shared",
    long_description="Docs are in docs/how-to/python.md and docs/reference/python.md of smsched.",
    license="GPL-3.0-or-later",
    license_files=["LICENSE"],
    packages=["smsched"],
    package_data={"smsched": ["py.typed", "installed/**"]},
    include_package_data=False,
    python_requires=">=3.9",
    install_requires=["cffi>=1.15", "numpy>=1.21", "pandas>=1.4"],
    entry_points={"console_scripts": ["smsched = smsched.__main__:main"]},
    cmdclass={"bdist_wheel": Wheel},
    zip_safe=False,
)
