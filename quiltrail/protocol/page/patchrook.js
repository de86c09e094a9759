// Patchrook: pick a patch, turn it, choose the square for its button; choose a laid patch to lift it.

import { Grid, el, shapePicture } from "./dom.js";

export function table({ play, say }) {
  let answer = null;
  let quilt = null;
  let grid = null;
  let picked = null;
  let turned = {}; // patch -> the orientation shown
  let legal = new Set();
  const place = el("div");
  const tray = el("div", { class: "tray", role: "group", "aria-label": "Tray" });
  const turning = el("div", { class: "bar turning", role: "group", "aria-label": "Turn the picked patch" },
    el("button", { type: "button", id: "turn", onclick: () => turn(false) }, "Turn (R)"),
    el("button", { type: "button", id: "flip", onclick: () => turn(true) }, "Flip (F)"));

  const cellsOf = (label) => answer.view.patches[label].orientations[turned[label]];
  const markAt = (r, c) => answer.view.board[r][c];

  function covered(row, col) {
    const cells = cellsOf(picked);
    const [[buttonX, buttonY]] = cells;
    return cells.map(([x, y]) => [row + y - buttonY, col + x - buttonX]);
  }

  function preview(row, col) {
    grid.each((button) => button.classList.remove("fits", "clash"));
    if (picked === null || row === undefined) return;
    const fits = legal.has(`${picked},${turned[picked]},${col},${row}`);
    for (const [r, c] of covered(row, col)) {
      grid.cells[r]?.[c]?.classList.add(fits ? "fits" : "clash");
    }
  }

  function pick(label) {
    picked = picked === label ? null : label;
    showTray();
    if (picked) say(`Patch ${picked}, orientation ${turned[picked]}. Choose the square for its button.`);
  }

  // The orientation that a quarter-turn clockwise, or a flip, of the one shown gives.
  function turn(flip) {
    if (picked === null) { say("Pick a patch first."); return; }
    const moved = cellsOf(picked).map(([x, y]) => (flip ? [-x, y] : [-y, x]));
    const left = Math.min(...moved.map(([x]) => x));
    const top = Math.min(...moved.map(([, y]) => y));
    const key = (cells) => cells.map(String).sort().join(";");
    const wanted = key(moved.map(([x, y]) => [x - left, y - top]));
    turned[picked] = answer.view.patches[picked].orientations.findIndex((one) => key(one) === wanted);
    showTray();
    preview(...grid.at);
    say(`Patch ${picked}, orientation ${turned[picked]}.`);
  }

  function choose(row, col) {
    const mark = markAt(row, col);
    if (/[A-F]/.test(mark) && answer.view.phase === "playing") { play({ type: "lift", patchId: mark }); return; }
    if (picked === null) { say("Pick a patch first."); return; }
    if (!legal.has(`${picked},${turned[picked]},${col},${row}`)) { say("The patch does not fit there.", true); return; }
    play({ type: "place", patchId: picked, orientation: turned[picked], x: col, y: row });
  }

  function showTray() {
    const focused = document.activeElement?.dataset?.patch;
    tray.replaceChildren(...answer.view.tray.map((label) => el("button", {
      type: "button", class: `p-${label}`, "data-patch": label, "aria-pressed": String(picked === label),
      "aria-label": `Patch ${label}, orientation ${turned[label]}, ${cellsOf(label).length} squares`,
      onclick: () => pick(label),
    }, el("span", {}, label), shapePicture(cellsOf(label).map(([x, y]) => [y, x]), 13))));
    if (focused) tray.querySelector(`[data-patch="${focused}"]`)?.focus();
    for (const button of turning.children) button.disabled = picked === null;
  }

  function begin(view) {
    quilt = view.quilt;
    turned = { ...view.initialOrientations };
    grid = new Grid(view.height, view.width, {
      name: "Board", style: "patches", on: { choose, look: preview, leave: () => preview() },
    });
    place.replaceChildren(grid.node);
  }

  function update(next) {
    answer = next;
    const { view } = next;
    if (view.quilt !== quilt) begin(view);
    if (!view.tray.includes(picked)) picked = null;
    legal = new Set(next.legalActions.filter(({ type }) => type === "place")
      .map(({ patchId, orientation, x, y }) => `${patchId},${orientation},${x},${y}`));
    grid.each((button, r, c) => {
      const mark = markAt(r, c);
      const letter = /[A-F]/.test(mark);
      button.className = letter ? `p-${mark}` : mark === "#" ? "shut" : "";
      button.textContent = letter ? mark : "";
      const what = letter ? `patch ${mark}, lift it` : mark === "#" ? "cut out" : "empty";
      button.setAttribute("aria-label", `column ${c}, row ${r}, ${what}`);
    });
    showTray();
    if (view.phase === "cleared") return `Quilt ${view.quilt} completed: ${view.lastQuiltPoints} points.`;
    if (view.phase === "ended") return "Banked.";
    return `Quilt ${view.quilt}. In the tray: ${view.tray.join(" ") || "nothing"}.`;
  }

  function buttons({ legalActions }) {
    const types = new Set(legalActions.map(({ type }) => type));
    return [
      { label: "Next quilt (N)", key: "N", action: { type: "next" } },
      { label: "Restart (S)", key: "S", action: { type: "restart" } },
      { label: "Stop and bank", action: { type: "bank" }, question: "Stop here and bank your points?" },
    ].filter(({ action }) => types.has(action.type));
  }

  function key(event) {
    const name = event.key.toUpperCase();
    if (name === "R" || (name === "F" && !(event.shiftKey && answer.view.tray.includes("F")))) {
      turn(name === "F");
      return true;
    }
    if (/^[A-F]$/.test(name) && answer.view.tray.includes(name)) {
      pick(name);
      if (picked) { grid.focus(); preview(...grid.at); }
      return true;
    }
    const number = Number(name);
    if (number >= 1 && number <= answer.view.tray.length) {
      pick(answer.view.tray[number - 1]);
      if (picked) { grid.focus(); preview(...grid.at); }
      return true;
    }
    if (name === "ESCAPE") { picked = null; showTray(); preview(); return true; }
    if (event.key.startsWith("Arrow")) { grid.focus(); return true; }
    return false;
  }

  return {
    node: el("div", {}, place, turning, tray), update, buttons, key,
    keys: "Pick a patch, turn it, choose the square for its button; choose a laid patch to lift it. "
      + "Keys: 1 to 6 or A to E pick, R turns, F flips, arrows move, Enter lays or lifts, Escape puts back.",
  };
}
