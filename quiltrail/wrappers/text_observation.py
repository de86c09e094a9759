"""TextObservation: the published observation as text, for language agents."""

from __future__ import annotations

import json
import string

from gymnasium import spaces

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError
from quiltrail.envs.rendering import ansi
from quiltrail.wrappers.transform import Observations, Transform

FORMS = ("json", "drawing", "both")
_MOST_CHARACTERS = 2**18
_CHARACTERS = frozenset(string.printable)


class TextObservation(Transform):
    """Say what the publisher's observation says, in words a language model reads.

    The text is the JSON of ``view()``, the legal list included, or the drawing of the position,
    or the drawing, a blank line and the JSON. Nothing hidden is in it. In a vector environment an
    observation is a tuple of B texts. `JsonActionsEnv` takes the answer.

    Args:
        form: "json", "drawing" or "both".

    Raises:
        OptionError: if the form is none of these.
    """

    def __init__(self, form: str = "both") -> None:
        if form not in FORMS:
            raise OptionError(f"form is one of {', '.join(FORMS)}; got {form!r}")
        self.form = form

    def observation_space(self, engine: Engine, space: spaces.Dict) -> spaces.Text:
        """Return the space of printable texts."""
        return spaces.Text(_MOST_CHARACTERS, charset=_CHARACTERS)

    def observations(self, engine: Engine, observations: Observations) -> tuple[str, ...]:
        """Return one text for each row."""
        return tuple(self.text_of(engine, row) for row in range(engine.num_games))

    def text_of(self, engine: Engine, row: int) -> str:
        """Return the text of one row."""
        drawing = ansi(engine, row) if self.form != "json" else ""
        view = json.dumps(engine.view(row)) if self.form != "drawing" else ""
        return "\n".join(part for part in (drawing, view) if part)
