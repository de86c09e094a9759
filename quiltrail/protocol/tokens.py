"""State tokens: a whole game, hidden parts too, in one opaque string that only its server reads.

A token is a Fernet token (AES-128-CBC and HMAC-SHA256, from the library ``cryptography``) around a
version, the game's variant, the layout of its record and the record's bytes. So nobody can read the
hidden part, nobody can make or change one, and every token of a variant has the same length,
whatever is hidden in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from quiltrail.core.errors import OptionError, QuiltrailError, shown
from quiltrail.core.extras import require

_TOKEN_VERSION = 1
_LONGEST_TOKEN = 4096  # characters; every real one is far shorter
_VERSION_BYTES = bytes([_TOKEN_VERSION])
_ALPHABET = re.compile(r"[A-Za-z0-9_-]+={0,2}")


class TokenError(QuiltrailError, ValueError):
    """A state token that this server does not accept; the text says why."""


class TokenSealer:
    """Seals bytes into tokens and opens tokens that it, or a server of the same keys, has sealed.

    Args:
        keys: Fernet keys (44 characters each); the first seals, all of them open, so that a new
            key can be put in front and an old one dropped later. None: a fresh key, whose tokens
            end with this object.
        max_age: seconds after which a token is refused as stale; None for never.

    Raises:
        OptionError: if there is no key, or one is no Fernet key.
        MissingExtraError: if ``cryptography`` is not installed.
    """

    def __init__(self, keys: Sequence[str] | None = None, *, max_age: int | None = None) -> None:
        require("serve", "cryptography")
        from cryptography.fernet import Fernet, MultiFernet

        if keys is None:
            keys = [self.fresh_key()]
        if not keys:
            raise OptionError("sealing tokens needs at least one key")
        if max_age is not None and (type(max_age) is not int or max_age < 1):
            raise OptionError(f"max_age is at least 1 second or None, got {shown(max_age)}")
        try:
            self._fernet = MultiFernet([Fernet(key) for key in keys])
        except (ValueError, TypeError):
            raise OptionError("a key is 32 bytes in url-safe base64, as key_file makes") from None
        self._max_age = max_age

    @staticmethod
    def fresh_key() -> str:
        """Return a new key, drawn by chance."""
        require("serve", "cryptography")
        from cryptography.fernet import Fernet

        return Fernet.generate_key().decode()

    def seal(self, content: bytes) -> str:
        """Return the token of some content."""
        return self._fernet.encrypt(_VERSION_BYTES + content).decode()

    def open(self, token: object) -> bytes:
        """Return the content of a token.

        Raises:
            TokenError: if it is no token, none of this server's, too old or of another version.
        """
        from cryptography.fernet import InvalidToken

        if not isinstance(token, str):
            raise TokenError(f"a state token is a string, got {type(token).__name__}")
        if len(token) > _LONGEST_TOKEN or not _ALPHABET.fullmatch(token):
            raise TokenError("this is no state token: send back the string of the last answer")
        try:
            content = self._fernet.decrypt(token.encode())
        except InvalidToken:
            raise TokenError("this state token was not issued here, or has been changed") from None
        self._refuse_stale(token)
        if content[:1] != _VERSION_BYTES:
            raise TokenError("this state token is stale: another version of the server issued it")
        return content[1:]

    def _refuse_stale(self, token: str) -> None:
        from cryptography.fernet import InvalidToken

        if self._max_age is None:
            return
        # Fernet refuses forged and old tokens alike. This one has been opened without an age
        # limit, so whatever is wrong now is its age.
        try:
            self._fernet.decrypt(token.encode(), ttl=self._max_age)
        except InvalidToken:
            raise TokenError(
                f"this state token is stale: it is older than {self._max_age} seconds"
            ) from None


def key_file(path: str | Path) -> list[str]:
    """Return the keys of a file, one a line; a file that does not exist is made with a fresh key.

    Raises:
        OptionError: if others than its owner may read it, or it cannot be read.
    """
    try:  # exclusively: of servers that start together, one makes the key and all read it
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _keys_of(Path(path))
    except OSError as error:
        raise OptionError(f"the key file {path} cannot be made: {error}") from error
    with os.fdopen(made, "w", encoding="ascii") as file:
        file.write(TokenSealer.fresh_key() + "\n")
    return _keys_of(Path(path))


def _keys_of(path: Path) -> list[str]:
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise OptionError(f"others may read the key file {path}: chmod 600 {path}")
        return path.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"the key file {path} cannot be read: {error}") from error
