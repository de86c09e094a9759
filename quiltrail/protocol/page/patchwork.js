// Patchwork: drag a patch onto the quilt, or pick it and choose a square, or use the keys.

import { Grid, el, shapePicture } from "./dom.js";

const SIDE = 9;
const BLOCK = 3;
const FINGER_LIFT = 56; // pixels that a patch rides above a finger
const DRAG_START = 6; // pixels before a press becomes a drag

const UNITS = [];
for (let n = 0; n < SIDE; n++) {
  const all = [...Array(SIDE).keys()];
  UNITS.push(all.map((c) => [n, c]), all.map((r) => [r, n]));
  const [top, left] = [BLOCK * Math.floor(n / BLOCK), BLOCK * (n % BLOCK)];
  UNITS.push(all.map((k) => [top + Math.floor(k / BLOCK), left + (k % BLOCK)]));
}

export function table({ play, say }) {
  let answer = null;
  let picked = null;
  let legal = new Set();
  const grid = new Grid(SIDE, SIDE, {
    name: "Quilt", style: "quilt",
    on: { choose, look: preview, leave: () => preview() },
  });
  const tray = el("div", { class: "tray", role: "group", "aria-label": "Tray" });
  const slots = [0, 1, 2].map((slot) => {
    const button = el("button", {
      type: "button", "data-slot": slot, onclick: () => pick(slot),
      onpointerdown: (event) => drag(event, slot),
    });
    tray.append(button);
    return button;
  });

  const filled = (r, c) => answer.view.quilt[r][c] === "#";

  // The square is where the middle of the patch goes; the box stays on the quilt.
  function anchor(row, col) {
    const { cells } = answer.view.tray[picked];
    const high = Math.max(...cells.map(([r]) => r));
    const wide = Math.max(...cells.map(([, c]) => c));
    return [
      Math.min(SIDE - 1 - high, Math.max(0, row - Math.floor(high / 2))),
      Math.min(SIDE - 1 - wide, Math.max(0, col - Math.floor(wide / 2))),
    ];
  }

  function preview(row, col) {
    grid.each((button) => button.classList.remove("fits", "clash", "gold"));
    if (picked === null || row === undefined) return;
    const [top, left] = anchor(row, col);
    const covered = answer.view.tray[picked].cells.map(([r, c]) => [top + r, left + c]);
    const fits = legal.has(`${picked},${top},${left}`);
    for (const [r, c] of covered) grid.cells[r][c].classList.add(fits ? "fits" : "clash");
    if (!fits) return;
    const keys = new Set(covered.map(String));
    for (const unit of UNITS) {
      if (!unit.every(([r, c]) => filled(r, c) || keys.has(String([r, c])))) continue;
      for (const [r, c] of unit) grid.cells[r][c].classList.add("gold");
    }
  }

  function pick(slot) {
    if (!answer.view.tray[slot]) return;
    picked = slot;
    showTray();
    say(`Patch ${slot + 1} picked. Choose where its middle goes.`);
  }

  function putBack() {
    picked = null;
    preview();
    showTray();
  }

  function choose(row, col) {
    if (picked === null) { say("Pick a patch first."); return; }
    const [top, left] = anchor(row, col);
    if (!legal.has(`${picked},${top},${left}`)) { say("The patch does not fit there.", true); return; }
    play({ type: "place", slot: picked, row: top, col: left });
  }

  function squareAt(x, y) {
    const button = document.elementFromPoint(x, y)?.closest("[data-row]");
    return button && grid.node.contains(button) ? [Number(button.dataset.row), Number(button.dataset.col)] : null;
  }

  function drag(event, slot) {
    if (event.button !== 0 || !answer.view.tray[slot]) return;
    const start = [event.clientX, event.clientY];
    const lift = event.pointerType === "touch" ? FINGER_LIFT : 0;
    const button = slots[slot];
    let moving = false;
    let square = null;
    button.setPointerCapture(event.pointerId);
    const onMove = (move) => {
      const far = Math.hypot(move.clientX - start[0], move.clientY - start[1]);
      if (!moving && far < DRAG_START) return;
      if (!moving) pick(slot);
      moving = true;
      square = squareAt(move.clientX, move.clientY - lift);
      if (square) preview(...square);
      else preview();
    };
    const onEnd = (end) => {
      button.removeEventListener("pointermove", onMove);
      button.removeEventListener("pointerup", onEnd);
      button.removeEventListener("pointercancel", onEnd);
      if (!moving || end.type === "pointercancel") return;
      if (square) choose(...square);
      else putBack();
    };
    button.addEventListener("pointermove", onMove);
    button.addEventListener("pointerup", onEnd);
    button.addEventListener("pointercancel", onEnd);
  }

  function showTray() {
    slots.forEach((button, slot) => {
      const patch = answer.view.tray[slot];
      button.disabled = !patch;
      button.setAttribute("aria-pressed", String(picked === slot));
      button.setAttribute("aria-label", patch
        ? `Patch ${slot + 1}: ${patch.cells.length} squares, ${describe(patch.cells)}` : `Patch ${slot + 1}: sewn`);
      button.replaceChildren(patch ? shapePicture(patch.cells) : "sewn");
    });
  }

  function update(next) {
    answer = next;
    picked = null;
    legal = new Set(next.legalActions.map(({ slot, row, col }) => `${slot},${row},${col}`));
    grid.each((button, r, c) => {
      button.className = filled(r, c) ? "full" : "";
      if ((Math.floor(r / BLOCK) + Math.floor(c / BLOCK)) % 2) button.classList.add("shade");
      button.setAttribute("aria-label", `row ${r + 1}, column ${c + 1}, ${filled(r, c) ? "filled" : "empty"}`);
    });
    showTray();
    const { streak, patchesSewn, phase } = next.view;
    if (phase === "stuck") return "No patch fits. Take three small patches, once, or finish.";
    return `${patchesSewn} patches sewn.${streak ? ` ${streak} clearing in a row.` : ""}`;
  }

  function buttons({ legalActions }) {
    const types = new Set(legalActions.map(({ type }) => type));
    return [
      { label: "Three small patches (V)", key: "V", action: { type: "revive" } },
      { label: "Finish (F)", key: "F", action: { type: "finish" } },
    ].filter(({ action }) => types.has(action.type));
  }

  function key(event) {
    const slot = ["1", "2", "3"].indexOf(event.key);
    if (slot >= 0) {
      pick(slot);
      grid.focus();
      preview(...grid.at);
      return true;
    }
    if (event.key === "Escape") { putBack(); return true; }
    if (event.key.startsWith("Arrow") && picked !== null) { grid.focus(); return true; }
    return false;
  }

  return {
    node: el("div", {}, grid.node, tray), update, buttons, key,
    keys: "Drag a patch onto the quilt, or pick it and choose the square for its middle. "
      + "Keys: 1, 2, 3 pick, arrows move, Enter sews, Escape puts back.",
  };
}

function describe(cells) {
  const rows = [];
  for (const [r, c] of cells) (rows[r] ??= []).push(c + 1);
  return rows.map((cols, r) => `row ${r + 1} columns ${cols.join(" ")}`).join(", ");
}
