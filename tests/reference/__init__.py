"""Slow, obvious referees, each written from the published rules alone.

Every game's module here offers one class with the same small face:

- ``Reference(seed, **kwargs)``: a fresh game;
- ``legal_actions()``: the exact published JSON list, ascending by action index;
- ``play(action)``: ``"accepted"`` or the name of the refusal; a refusal changes nothing;
- ``view()``: the published observation, field for field;
- ``score`` and ``ended``.

Nothing here imports the package, so agreement with its engines means something.
"""
