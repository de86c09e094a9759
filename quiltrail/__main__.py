"""``quiltrail`` on the command line, and ``python -m quiltrail``."""

from __future__ import annotations

import sys

from quiltrail.core.errors import InterruptedRunError, QuiltrailError, shown
from quiltrail.core.extras import require

_USAGE_ERROR = 2
_SYSTEM_ERROR = 1
_INTERRUPTED = 130  # what shells give to Ctrl-C


def main() -> None:
    """Run the command line; a mistake ends in one sentence and exit code 2.

    So does what the system refuses, such as a full disk, with exit code 1, and what was interrupted
    and saved, with 130.
    """
    try:
        require("train", "typer", "rich", "yaml", "pydantic", "scipy")
        from quiltrail.cli import app

        app()
    except QuiltrailError as error:
        print(f"quiltrail: {error}", file=sys.stderr)
        sys.exit(_INTERRUPTED if isinstance(error, InterruptedRunError) else _USAGE_ERROR)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        print(f"quiltrail: {error.strerror or error}: {shown(error.filename)}", file=sys.stderr)
        sys.exit(_SYSTEM_ERROR)


if __name__ == "__main__":
    main()
