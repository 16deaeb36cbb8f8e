"""What all tests share: the models of the project, and the command line beside the package."""

import faulthandler
from pathlib import Path

import pytest

faulthandler.enable()

ROOT = Path(__file__).resolve().parents[2]
BALL = ROOT / "models" / "bouncing-ball" / "model.yaml"


@pytest.fixture
def ball():
    import superdense as sd

    return sd.load(BALL)
