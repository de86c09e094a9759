"""Referee of Sunpleat: eight fixed garlands, one flip at a time, on plain lists."""

from typing import Any, NamedTuple

from tests.reference.grammar import Grammar, fault_of_shape
from tests.reference.run import Run

MASK = 0xFFFFFFFF

MAX_COUNT = 5
SPARE_MOVES = 4
LEAVES = 3
VERSION = 1


class Template(NamedTuple):
    """A garland as it hangs at the start, and the fewest flips that restore it."""

    start: tuple[int, ...]
    par: int


TEMPLATES = (
    Template((-2, -1, 3), 1),
    Template((3, -2, -1), 2),
    Template((-4, 1, -3, -2), 3),
    Template((-1, 3, -4, 2), 4),
    Template((5, -3, 2, -4, -1), 5),
    Template((-3, 4, 5, 1, -2), 5),
    Template((-4, 3, -1, 2, -5), 7),
    Template((1, 4, 3, -2, -5), 7),
)
FIRST_REPEATED_TEMPLATE = 5
FIRST_REPEATED_BOARD = 9
REPEATED_TEMPLATES = 4

GRAMMAR: Grammar = {
    "flip": {"count": range(1, MAX_COUNT + 1)},
    "next": {},
    "retry": {},
    "restart": {},
    "bank": {},
}
PERMITTED: dict[str, tuple[str, ...]] = {
    "playing": ("flip", "restart", "bank"),
    "cleared": ("next", "bank"),
    "retry": ("retry", "bank"),
    "ended": (),
}
INDEX_WITHOUT_COUNT = {"next": 5, "retry": 6, "restart": 7, "bank": 8}
ACTION_COUNT = 9


def flip(garland: list[int], count: int) -> list[int]:
    """Return the garland with its first ``count`` pennants reversed and turned over."""
    turned = [-pennant for pennant in reversed(garland[:count])]
    return turned + garland[count:]


def target(n: int) -> list[int]:
    """Return the restored garland of ``n`` pennants."""
    return list(range(1, n + 1))


def award(n: int, remaining_moves: int) -> int:
    """Return the points of one cleared garland."""
    return 100 + 25 * n + 10 * remaining_moves


def template_index(board_number: int) -> int:
    """Return the one-based template of a one-based board."""
    if board_number < FIRST_REPEATED_BOARD:
        return board_number
    return FIRST_REPEATED_TEMPLATE + (board_number - FIRST_REPEATED_BOARD) % REPEATED_TEMPLATES


def exact_par(garland: list[int]) -> int:
    """Return the fewest flips to the target, by breadth-first search."""
    goal = tuple(target(len(garland)))
    seen = {tuple(garland)}
    frontier = set(seen)
    flips = 0
    while goal not in seen:
        reached = {
            tuple(flip(list(hung), count))
            for hung in frontier
            for count in range(1, len(garland) + 1)
        }
        frontier = reached - seen
        seen |= frontier
        flips += 1
    return flips


class SunpleatReference(Run):
    """One run of Sunpleat.

    Args:
        seed: kept modulo 2**32; it changes nothing.
        board: number of the board on which the fresh run starts.
    """

    board_number: int
    garland: list[int]
    moves_used: int
    grammar = GRAMMAR

    def __init__(self, seed: int = 0, board: int = 1) -> None:
        """Start a fresh run."""
        if type(seed) is not int:
            raise TypeError(f"seed must be an int, got {seed!r}")
        if type(board) is not int or board < 1:
            raise ValueError(f"board must be an int from 1 up, got {board!r}")
        self.seed = seed & MASK
        self.leaves = LEAVES
        self.score = 0
        self.cleared_boards = 0
        self.last_award = 0
        self.end_reason: str | None = None
        self.turn = 0
        self._hang(board)

    @staticmethod
    def encode(action: dict[str, Any]) -> int:
        """Return the flat index of a well-shaped action, whether or not it is legal."""
        refusal = fault_of_shape(action, GRAMMAR)
        if refusal is not None:
            raise ValueError(f"{action!r} has no index: {refusal}")
        if action["type"] == "flip":
            return int(action["count"]) - 1
        return INDEX_WITHOUT_COUNT[action["type"]]

    @staticmethod
    def decode(index: int) -> dict[str, Any]:
        """Return the action of a flat index, 0 .. 8."""
        if not 0 <= index < ACTION_COUNT:
            raise ValueError(f"index must be 0 .. {ACTION_COUNT - 1}, got {index}")
        if index < MAX_COUNT:
            return {"type": "flip", "count": index + 1}
        kinds = {number: kind for kind, number in INDEX_WITHOUT_COUNT.items()}
        return {"type": kinds[index]}

    @property
    def n(self) -> int:
        """Return the number of pennants."""
        return len(self.garland)

    @property
    def exact_par(self) -> int:
        """Return the fewest flips that restore this board's garland."""
        return self._template.par

    @property
    def move_budget(self) -> int:
        """Return the flips granted on this board."""
        return self.exact_par + SPARE_MOVES

    @property
    def remaining_moves(self) -> int:
        """Return the flips left on this board."""
        return self.move_budget - self.moves_used

    def legal_actions(self) -> list[dict[str, Any]]:
        """Return every action that would be accepted now, ascending by flat index."""
        every_action = [self.decode(index) for index in range(ACTION_COUNT)]
        return [action for action in every_action if self._rule_refusal(action) is None]

    def view(self) -> dict[str, Any]:
        """Return the published observation."""
        return {
            "version": VERSION,
            "phase": self.phase,
            "boardNumber": self.board_number,
            "templateIndex": template_index(self.board_number),
            "garland": list(self.garland),
            "n": self.n,
            "target": target(self.n),
            "exactPar": self.exact_par,
            "moveBudget": self.move_budget,
            "movesUsed": self.moves_used,
            "remainingMoves": self.remaining_moves,
            "leaves": self.leaves,
            "score": self.score,
            "clearedBoards": self.cleared_boards,
            "lastAward": self.last_award,
            "endReason": self.end_reason,
            "turn": self.turn,
            "legalActions": self.legal_actions(),
        }

    @property
    def _template(self) -> Template:
        return TEMPLATES[template_index(self.board_number) - 1]

    def _rule_refusal(self, action: dict[str, Any]) -> str | None:
        if self.ended:
            return "run-ended"
        if action["type"] not in PERMITTED[self.phase]:
            return "wrong-phase"
        if action["type"] == "flip" and action["count"] > self.n:
            return "count-exceeds-n"
        return None

    def _apply(self, action: dict[str, Any]) -> None:
        match action["type"]:
            case "flip":
                self._flip(action["count"])
            case "next":
                self.last_award = 0
                self._hang(self.board_number + 1)
            case "retry":
                self._hang(self.board_number)
            case "restart":
                self._restart()
            case "bank":
                self._end("banked")

    def _hang(self, board_number: int) -> None:
        """Start a board with its full budget."""
        self.board_number = board_number
        self.garland = list(self._template.start)
        self.moves_used = 0
        self.phase = "playing"

    def _flip(self, count: int) -> None:
        self.garland = flip(self.garland, count)
        self.moves_used += 1
        if self.garland == target(self.n):
            self._clear()
        elif self.remaining_moves == 0:
            self.phase = "retry"
            self._spend_leaf()

    def _clear(self) -> None:
        self.phase = "cleared"
        self.last_award = award(self.n, self.remaining_moves)
        self.score += self.last_award
        self.cleared_boards += 1

    def _restart(self) -> None:
        """Spend a leaf; the garland is hung anew only if one is left."""
        self._spend_leaf()
        if not self.ended:
            self._hang(self.board_number)

    def _spend_leaf(self) -> None:
        self.leaves -= 1
        if self.leaves == 0:
            self._end("out-of-lives")

    def _end(self, reason: str) -> None:
        self.phase = "ended"
        self.end_reason = reason
