"""The program, as `python -m smsched` and as the command `smsched` of the wheel."""
import os
import sys

from ._native import PROGRAM


def main() -> None:
    """Becomes the program."""
    os.execv(PROGRAM, ["smsched", *sys.argv[1:]])


if __name__ == "__main__":
    main()
