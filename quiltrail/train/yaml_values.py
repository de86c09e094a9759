"""Reading YAML that comes from outside: plain values only, bounded, one sentence for a mistake."""

from __future__ import annotations

from typing import Any

import yaml

from quiltrail.core.errors import ConfigError, on_one_line, shown

_LARGEST = 1_000_000  # characters


class YamlError(ValueError):
    """A text that is no YAML of plain values; the message says why."""


class _PlainLoader(yaml.SafeLoader):
    """The safe loader without aliases, by which a short text can stand for a huge value."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read here")
        return super().compose_node(parent, index)


def parse_yaml(text: str) -> Any:
    """Return the value of a YAML text.

    Raises:
        YamlError: if it is no YAML, has tags or aliases, is too long or nested too deeply.
    """
    if len(text) > _LARGEST:
        raise YamlError(f"it has {len(text):,} characters, at most {_LARGEST:,} are read")
    try:
        return yaml.load(text, _PlainLoader)
    except RecursionError:
        raise YamlError("it is nested too deeply") from None
    except (yaml.YAMLError, ValueError, TypeError, OverflowError) as error:
        raise YamlError(on_one_line(error)) from None


def parse_setting(setting: str, form: str) -> tuple[str, Any]:
    """Return the key and the value of a setting written key=value, the value in YAML.

    Args:
        setting: what came in.
        form: how it is written, for the error's sentence.

    Raises:
        ConfigError: if it is not written so.
    """
    key, sign, text = setting.partition("=")
    if not sign or not all(key.split(".")):
        raise ConfigError(f"a setting is written {form}, got {shown(setting)}")
    try:
        return key, parse_yaml(text)
    except YamlError:
        raise ConfigError(f"the value of {shown(setting)} is not valid YAML") from None
