"""python -m reports VERDICT.json --out DIR [--studies STUDIES.json] [--selftest SELFTEST.json]

Exit codes as everywhere in narrowgate: 0 written, 2 the verdict cannot be rendered, 5 the environment is at fault.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

_BAD_INPUT = 2
_ENVIRONMENT = 5
_EXAMPLES = """examples:
  python -m reports verdict.json --out report        write report/index.html and report/badge.svg
  narrowgate report verdict.json --out report        the same, with the build's own Python"""


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        # Imported here: that matplotlib is missing is a message with its mending command, not a stack of frames.
        from . import load, page, view
        from .text import visible
        from .view import selftest, studies
    except ImportError as error:
        return _complain(f"{error}; install the locked packages: pip install --require-hashes -r scripts/requirements.txt",
                         _ENVIRONMENT)
    try:
        verdict = load.load(options.verdict)
        studied = studies.build(load.load_studies(options.studies)) if options.studies else None
        tested = selftest.build(load.load_selftest(options.selftest)) if options.selftest else None
    except load.InvalidFile as error:
        return _complain(visible(str(error)), _BAD_INPUT)
    files = page.render(view.build(verdict), studied, tested)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            write_atomically(options.out / name, text)
    except OSError as error:
        return _complain(f"{error.filename or options.out}: cannot be written: {error.strerror}", _ENVIRONMENT)
    print(options.out / "index.html")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m reports", description="Renders verdict.json as one HTML page. Decides nothing.",
        epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
    )
    parser.add_argument("verdict", type=Path, metavar="VERDICT", help="written by `narrowgate compare --out`")
    parser.add_argument("--out", type=Path, metavar="DIR", required=True, help="folder for index.html and badge.svg")
    parser.add_argument("--studies", type=Path, metavar="STUDIES",
                        help="written by `narrowgate study`: adds DIR/studies.html and a link to it")
    parser.add_argument("--selftest", type=Path, metavar="SELFTEST",
                        help="written by `narrowgate selftest --out`: adds DIR/selftest.html and a link to it")
    return parser


def _complain(message: str, code: int) -> int:
    print(f"reports: {message}", file=sys.stderr)
    return code


def write_atomically(path: Path, text: str) -> None:
    """The old file stays until the new one is whole."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files for their owner only; pages are for everyone the umask allows.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


if __name__ == "__main__":
    sys.exit(main())
