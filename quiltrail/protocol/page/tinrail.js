// Tinrail: choose a tile, turn it, lay it in the cell your engine faces.

import { el, svg } from "./dom.js";

const SIZE = 6;
const PORTS = [[1 / 3, 0], [2 / 3, 0], [1, 1 / 3], [1, 2 / 3], [2 / 3, 1], [1 / 3, 1], [0, 2 / 3], [0, 1 / 3]];
const INWARD = [[0, 1], [0, 1], [-1, 0], [-1, 0], [0, -1], [0, -1], [1, 0], [1, 0]];
const BEND = 0.3;

function rail([a, b], style = "rail") {
  const [start, end] = [PORTS[a], PORTS[b]];
  const bend = (port) => [0, 1].map((axis) => PORTS[port][axis] + BEND * INWARD[port][axis]);
  return svg("path", { class: style, d: `M${start} C${bend(a)} ${bend(b)} ${end}` });
}

function tilePicture(strands) {
  return svg("svg", { viewBox: "-.04 -.04 1.08 1.08", "aria-hidden": "true", class: "rails" },
    svg("rect", { class: "cell laid", width: 1, height: 1 }), ...strands.map((one) => rail(one)));
}

export function table({ play, say }) {
  let view = null;
  let over = false;
  let chosen = 0;
  let rotation = 0;
  const board = svg("svg", { class: "rails", viewBox: "-.35 -.35 6.7 6.7", role: "img" });
  const hand = el("div", { class: "hand", role: "group", "aria-label": "Your hand" });
  const turning = el("div", { class: "bar turning" },
    el("button", { type: "button", id: "left", onclick: () => turn(-1) }, "Turn left (L)"),
    el("button", { type: "button", id: "right", onclick: () => turn(1) }, "Turn right (R)"),
    el("button", { type: "button", id: "lay", class: "strong", onclick: lay }, "Lay tile (Enter)"));

  function lay() {
    if (!over) play({ type: "place", tileIndex: chosen, rotation });
  }

  function turn(by) {
    rotation = (rotation + by + 4) % 4;
    draw();
    say(`Tile ${chosen + 1}, rotation ${rotation}.`);
  }

  function choose(index) {
    if (index >= view.hand.length) return;
    if (index !== chosen) rotation = 0;
    chosen = index;
    draw();
    say(`Tile ${chosen + 1} of ${view.hand.length}.`);
  }

  function cellGroup(cell) {
    const [own, other] = view.engines;
    const strands = view.table[cell];
    const faced = own?.cell === cell && !over;
    const styles = ["cell", strands && "laid", faced && "faced", other?.cell === cell && !over && "faced-other"];
    const group = svg("g", { transform: `translate(${cell % SIZE} ${Math.floor(cell / SIZE)})` },
      svg("rect", { class: styles.filter(Boolean).join(" "), width: 1, height: 1, "data-cell": cell }));
    if (strands) group.append(...strands.map((one) => rail(one)));
    if (faced && view.hand[chosen]) {
      group.append(...view.hand[chosen][rotation].map((one) => rail(one, "rail preview")));
      group.style.cursor = "pointer";
      group.addEventListener("click", lay);
    }
    return group;
  }

  function engine(notch, style, letter) {
    if (!notch) return [];
    const [x, y] = PORTS[notch.port];
    const [px, py] = [notch.cell % SIZE + x, Math.floor(notch.cell / SIZE) + y];
    return [svg("circle", { class: `engine ${style}`, cx: px, cy: py, r: 0.16 }), svg("text", { x: px, y: py }, letter)];
  }

  function draw() {
    const cells = [...Array(SIZE * SIZE).keys()].map(cellGroup);
    board.replaceChildren(...cells, ...engine(view.engines[1], "other", "G"), ...engine(view.engines[0], "own", "Y"));
    board.setAttribute("aria-label", describe());
    const focused = document.activeElement?.dataset?.tile;
    hand.replaceChildren(...view.hand.map((rotations, index) => {
      const shown = rotations[index === chosen ? rotation : 0];
      const joins = shown.map(([a, b]) => `${a} to ${b}`).join(", ");
      return el("button", {
        type: "button", "data-tile": index, "aria-pressed": String(index === chosen),
        "aria-label": `Tile ${index + 1}: joins ports ${joins}`, onclick: () => choose(index),
      }, tilePicture(shown));
    }));
    if (focused !== undefined) hand.querySelector(`[data-tile="${focused}"]`)?.focus();
    for (const button of turning.children) button.disabled = over;
  }

  function describe() {
    const where = (notch) => (notch
      ? `faces row ${Math.floor(notch.cell / SIZE) + 1}, column ${notch.cell % SIZE + 1} at port ${notch.port}` : "is off the table");
    return `Table of rails, ${view.tilesPlaced} tiles laid. Your engine ${where(view.engines[0])}. `
      + `The engine of G-Bot ${where(view.engines[1])}.`;
  }

  function update(answer) {
    ({ view } = answer);
    over = answer.gameOver;
    chosen = Math.max(0, Math.min(chosen, view.hand.length - 1));
    rotation = 0;
    draw();
    const endings = { win0: "You have won.", win1: "G-Bot has won.", draw: "A draw." };
    return endings[view.result] ?? `Your turn. ${view.tilesPlaced} of 35 tiles laid, ${view.pileLength} in the pile.`;
  }

  function key(event) {
    const tile = ["1", "2", "3"].indexOf(event.key);
    if (tile >= 0) { choose(tile); return true; }
    const by = { R: 1, ARROWRIGHT: 1, L: -1, ARROWLEFT: -1 }[event.key.toUpperCase()];
    if (by) { turn(by); return true; }
    if (event.key === "Enter" && !event.target.closest("button, a")) { lay(); return true; }
    if (event.key === "Enter" && event.target.closest(".hand")) { lay(); return true; }
    return false;
  }

  return {
    node: el("div", {}, board, turning, hand), update, key, buttons: () => [],
    keys: "Y is you, G is G-Bot. Choose a tile, turn it, lay it in the cell you face (also by choosing that cell). "
      + "Keys: 1 to 3 choose, L and R turn, Enter lays.",
  };
}
