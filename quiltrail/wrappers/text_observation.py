"""TextObservation: the published observation as text, for language agents."""

from __future__ import annotations

import json
import string

from gymnasium import spaces

from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown
from quiltrail.envs.vector import Observations
from quiltrail.envs.wording import observe
from quiltrail.wrappers.transform import Transform

WORDS, JSON = "words", "json"
_MOST_CHARACTERS = 2**18
_CHARACTERS = frozenset(string.printable)


class TextObservation(Transform):
    """Say what the publisher's observation says, as text for a language model.

    "words" is the text of `quiltrail.envs.wording.observe`, "json" that of ``view()``, the legal
    list included. Nothing hidden is in either. In a vector environment an observation is a tuple of
    B texts. `JsonActions` takes the answer.

    Args:
        form: "words" or "json".

    Raises:
        OptionError: if the form is neither.
    """

    def __init__(self, form: str = WORDS) -> None:
        if form not in (WORDS, JSON):
            raise OptionError(f'form is "{WORDS}" or "{JSON}", got {shown(form)}')
        self.form = form

    def observation_space(self, engine: Engine, space: spaces.Dict) -> spaces.Text:
        """Return the space of printable texts."""
        return spaces.Text(_MOST_CHARACTERS, charset=_CHARACTERS)

    def observations(self, engine: Engine, observations: Observations) -> tuple[str, ...]:
        """Return one text for each row."""
        rows = range(engine.num_games)
        if self.form == WORDS:
            return tuple(observe(engine, row) for row in rows)
        return tuple(json.dumps(engine.view(row)) for row in rows)
