"""The `earlydrop` command: `python -m earlydrop`, and the script that the wheel installs."""

import signal
import sys

from ._lib import command


def main() -> None:
    """Runs the command line of this process, and exits with the command's exit code."""
    # Python would only remember Ctrl-C until the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command(["earlydrop", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
