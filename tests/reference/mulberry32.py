"""Mulberry32, one draw at a time, in plain Python integers (RULES, "All games")."""

MASK = 0xFFFFFFFF


class Mulberry32:
    """A 32-bit stream: ``cursor`` is its whole state."""

    def __init__(self, seed: int) -> None:
        self.cursor = seed & MASK

    def next_uint32(self) -> int:
        """Return the next output, 0 .. 2**32 - 1."""
        self.cursor = (self.cursor + 0x6D2B79F5) & MASK
        t = self.cursor
        t = ((t ^ (t >> 15)) * (t | 1)) & MASK
        t ^= (t + (((t ^ (t >> 7)) * (t | 61)) & MASK)) & MASK
        return t ^ (t >> 14)

    def below(self, n: int) -> int:
        """Return an integer in 0 .. n - 1."""
        return (self.next_uint32() * n) >> 32

    def shuffle(self, items: list[int]) -> None:
        """Shuffle ``items`` in place, from the last place down."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def first_draws(seed: int, count: int) -> list[int]:
    """Return the first outputs of the stream of a seed."""
    stream = Mulberry32(seed)
    return [stream.next_uint32() for _ in range(count)]
