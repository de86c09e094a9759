// Sunpleat: flip the first k pennants by choosing the k-th.

import { el } from "./dom.js";

export function table({ play }) {
  const garland = el("div", { class: "garland", role: "group", "aria-label": "Garland" });
  const facts = el("ul", { class: "facts" });
  let view = null;

  const mark = (count) => [...garland.children].forEach((pennant, at) => {
    pennant.classList.toggle("marked", at < count);
  });

  function pennantButton(at) {
    return el("button", {
      type: "button", "data-count": at + 1,
      onclick: () => play({ type: "flip", count: at + 1 }),
      onpointerenter: () => mark(at + 1),
      onfocus: () => mark(at + 1),
      onpointerleave: () => mark(0),
      onblur: () => mark(0),
    });
  }

  function update(answer) {
    view = answer.view;
    while (garland.children.length > view.n) garland.lastChild.remove();
    while (garland.children.length < view.n) garland.append(pennantButton(garland.children.length));
    view.garland.forEach((value, at) => {
      const [name, face] = [Math.abs(value), value > 0 ? "sun" : "moon"];
      const button = garland.children[at];
      button.className = face;
      button.replaceChildren(el("span", { "aria-hidden": "true" }, value > 0 ? "\u2600" : "\u263e"), el("br"), String(name));
      button.setAttribute("aria-label", `${name}, ${face}; flip the first ${at + 1}`);
      button.disabled = view.phase !== "playing";
    });
    facts.replaceChildren(
      el("li", {}, `Garland ${view.boardNumber}`),
      el("li", {}, `Moves left ${view.remainingMoves} of ${view.moveBudget}`),
      el("li", {}, `Fewest possible ${view.exactPar}`),
      el("li", {}, `Leaves ${"\u2618".repeat(view.leaves)} ${view.leaves}`),
      el("li", {}, `Cleared ${view.clearedBoards}`),
    );
    if (view.phase === "cleared") return `Cleared: ${view.lastAward} points.`;
    if (view.phase === "retry") return "No moves left: a leaf is lost. Retry the same garland.";
    if (view.phase === "ended") return view.endReason === "banked" ? "Banked." : "The last leaf is gone.";
    return `Garland: ${view.garland.join(", ")}. ${view.remainingMoves} moves left.`;
  }

  function buttons(answer) {
    const types = new Set(answer.legalActions.map(({ type }) => type));
    return [
      { label: "Next garland (N)", key: "N", action: { type: "next" } },
      { label: "Retry (T)", key: "T", action: { type: "retry" } },
      { label: "Restart for a leaf (R)", key: "R", action: { type: "restart" }, question: "Restart this garland? It costs a leaf." },
      { label: "Stop and bank (B)", key: "B", action: { type: "bank" }, question: "Stop here and bank your points?" },
    ].filter(({ action }) => types.has(action.type));
  }

  function key(event) {
    const count = Number(event.key);
    if (view?.phase === "playing" && count >= 1 && count <= view.n) {
      play({ type: "flip", count });
      return true;
    }
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || view?.phase !== "playing") return false;
    const pennants = [...garland.children];
    const at = pennants.indexOf(document.activeElement);
    pennants[Math.min(view.n - 1, Math.max(0, at + step))].focus();
    return true;
  }

  return {
    node: el("div", {}, facts, garland), update, buttons, key,
    keys: "Choose a pennant to turn over everything up to it. Keys: 1 to 5 flip, left and right walk, Enter flips.",
  };
}
