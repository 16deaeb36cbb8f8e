"""The command line of Superdense: `python -m superdense run model.yaml`."""

import sys

from ._superdense import command_line


def main() -> None:
    """Executes the command line and exits with its code."""
    sys.exit(command_line(["superdense", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
