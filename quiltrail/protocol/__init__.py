"""The publisher's protocol: games as text and JSON, for language agents and other languages.

``init`` and ``action`` play in this process; ``play`` lets a language agent play and counts;
`quiltrail.protocol.server.make_app` is the same over HTTP (``quiltrail serve``).
"""

from quiltrail.protocol.language_agents import GameResult, LanguageAgent, PlayResult, Terms, play
from quiltrail.protocol.loop import Answer, Loop, action, init
from quiltrail.protocol.tokens import TokenError, TokenSealer, key_file

__all__ = [
    "Answer",
    "GameResult",
    "LanguageAgent",
    "Loop",
    "PlayResult",
    "Terms",
    "TokenError",
    "TokenSealer",
    "action",
    "init",
    "key_file",
    "play",
]
