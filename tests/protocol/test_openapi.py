"""The server against its own OpenAPI document, by schemathesis."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: What an illegal action gets is 200 by the publisher's loop, so "negative data" is no fault here.
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_headers_conformance,response_schema_conformance,unsupported_method"
)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_schemathesis_finds_nothing(port: int, tmp_path: Path) -> None:
    pytest.importorskip("schemathesis", reason="schemathesis: pip install 'quiltrail[fuzz]'")
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        "run",
        f"http://127.0.0.1:{port}/openapi.json",
        "--checks",
        CHECKS,
        "--mode",
        "all",
        "--max-examples",
        "200",
        "--seed",
        "1",
        "--request-timeout",
        "60",
        "--no-color",
    ]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-6000:] + ran.stderr[-2000:]
