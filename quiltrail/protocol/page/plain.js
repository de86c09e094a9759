// A game without a module of its own: the position in words, and a button for each legal action.

import { el } from "./dom.js";

export function table() {
  const position = el("p", { class: "words" });

  function update(answer) {
    position.textContent = answer.observation;
    return `Legal actions: ${answer.legalActions.length}.`;
  }

  function buttons(answer) {
    return answer.legalActions.map((action) => ({ label: Object.values(action).join(" "), action }));
  }

  return { node: position, update, buttons, key: () => false, keys: "Choose an action." };
}
