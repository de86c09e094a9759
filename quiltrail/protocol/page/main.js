// The page: starts games, sends actions, keeps the state token, shows what came back.

import { el } from "./dom.js";

const by = (id) => document.getElementById(id);

const page = { games: [], game: null, answer: null, table: null, busy: false, watching: false };

function say(text, bad = false) {
  by("status").textContent = text;
  by("status").classList.toggle("bad", bad);
}

async function ask(path, body) {
  const options = body
    ? { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    : {};
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer.");
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.reason);
  return answer;
}

function confirmed(question) {
  by("question").textContent = question;
  const dialog = by("ask");
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

// One request at a time; what happens meanwhile is ignored.
async function alone(work) {
  if (page.busy) return false;
  page.busy = true;
  try {
    await work();
    return true;
  } catch (error) {
    say(error.message, true);
    return false;
  } finally {
    page.busy = false;
  }
}

function show(answer, played) {
  page.answer = answer;
  by("score").value = answer.score;
  by("text").textContent = answer.observation;
  const message = page.table.update(answer, played);
  const end = answer.gameOver ? ` The game is over. Your score is ${answer.score}.` : "";
  say(`${message}${end}`);
  by("table").dataset.turn = String(Number(by("table").dataset.turn ?? 0) + 1);
  showActions(answer);
  for (const id of ["watch", "advise"]) by(id).disabled = answer.gameOver;
}

function showActions(answer) {
  const simple = page.table.buttons(answer);
  const before = document.activeElement?.dataset?.action;
  by("actions").replaceChildren(...simple.map(({ label, action, question, key }) => el("button", {
    type: "button", "data-action": action.type, "aria-keyshortcuts": key,
    onclick: () => playSimple(action, question),
  }, label)));
  if (before) by("actions").querySelector(`[data-action="${before}"]`)?.focus();
}

async function playSimple(action, question) {
  if (!question || await confirmed(question)) play(action);
}

const play = (action) => alone(async () => {
  const path = `/api/games/${page.game.slug}/action?view=true`;
  const answer = await ask(path, { state: page.answer.state, action });
  if (!answer.ok) throw new Error(`Not possible: ${answer.reason}`);
  show(answer, action);
});

const begin = () => alone(async () => {
  stopWatching();
  const query = new URLSearchParams({ view: "true" });
  const seed = by("seed").value.trim();
  if (seed) query.set("seed", seed);
  for (const select of by("settings").querySelectorAll("select")) query.set(select.name, select.value);
  const answer = await ask(`/api/games/${page.game.slug}/init?${query}`);
  const { table } = await import(`./${page.game.slug}.js`);
  page.table = table({ play, say, confirmed });
  by("board").replaceChildren(page.table.node);
  by("keys").textContent = page.table.keys;
  showRules(answer.spec);
  show(answer, null);
});

function showRules(spec) {
  const parts = [["Goal", spec.goal], ["Scoring", spec.scoring], ["Rules", spec.rules], ["Credit", spec.credit]];
  by("rules").replaceChildren(...parts.flatMap(([name, text]) => [el("h3", {}, name), el("p", {}, text)]));
}

function choose(slug) {
  page.game = page.games.find((game) => game.slug === slug) ?? page.games[0];
  location.replace(`#${page.game.slug}`);
  document.title = `${page.game.title} - quiltrail`;
  by("title").textContent = page.game.title;
  for (const button of by("games").children) {
    if (button.dataset.slug === page.game.slug) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  by("settings").replaceChildren(...Object.entries(page.game.settings).map(([name, values]) =>
    el("label", {}, `${name} `, el("select", { name },
      ...values.map((value) => el("option", { value }, value))))));
  by("agent").replaceChildren(...page.game.agents.map((name) => el("option", { value: name }, name)));
  return begin();
}

const advise = () => alone(async () => {
  const base = `/api/games/${page.game.slug}`;
  const { state } = page.answer;
  const { action } = await ask(`${base}/suggest`, { state, agent: by("agent").value });
  const answer = await ask(`${base}/action?view=true`, { state, action });
  if (!answer.ok) throw new Error(answer.reason);
  show(answer, action);
});

function stopWatching() {
  page.watching = false;
  by("watch").setAttribute("aria-pressed", "false");
  by("watch").textContent = "Watch";
}

async function watch() {
  if (page.watching) { stopWatching(); return; }
  page.watching = true;
  by("watch").setAttribute("aria-pressed", "true");
  by("watch").textContent = "Stop";
  while (page.watching && !page.answer.gameOver) {
    if (!await advise()) break;
    await new Promise((resolve) => { setTimeout(resolve, Number(by("pause").value)); });
  }
  stopWatching();
}

function onKey(event) {
  const typing = event.target.closest?.("input, select, dialog, summary, pre");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !page.table) return;
  const simple = page.table.buttons(page.answer).find(({ key }) => key === event.key.toUpperCase());
  if (simple) playSimple(simple.action, simple.question);
  else if (!page.table.key(event)) return;
  event.preventDefault();
}

async function main() {
  try {
    page.games = (await ask("/api/games")).games;
  } catch (error) {
    say(error.message, true);
    return;
  }
  by("games").replaceChildren(...page.games.map(({ slug, title }) =>
    el("button", { type: "button", "data-slug": slug, onclick: () => choose(slug) }, title)));
  by("start").addEventListener("submit", (event) => {
    event.preventDefault();
    by("table").focus(); // so that the game's keys do not press the button again
    begin();
  });
  by("watch").addEventListener("click", watch);
  by("advise").addEventListener("click", advise);
  by("pause").addEventListener("input", () => {
    by("pause-shown").textContent = `${(by("pause").value / 1000).toFixed(1)} s`;
  });
  document.addEventListener("keydown", onKey);
  await choose(location.hash.slice(1));
}

main();
