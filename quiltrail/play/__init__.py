"""Playing, watching and replaying single games: sessions, pages, and the window."""

from quiltrail.play.session import Session, engine_of

__all__ = ["Session", "engine_of"]
