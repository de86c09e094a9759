// Small helpers: making elements, and a board of buttons that arrow keys walk over.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

export const el = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// A picture of cells [row, col], each one unit wide.
export function shapePicture(cells, unit = 15) {
  const rows = Math.max(...cells.map(([r]) => r)) + 1;
  const cols = Math.max(...cells.map(([, c]) => c)) + 1;
  return svg(
    "svg",
    { viewBox: `0 0 ${cols} ${rows}`, width: cols * unit, height: rows * unit, "aria-hidden": "true" },
    ...cells.map(([r, c]) => svg("rect", { x: c, y: r, width: 1, height: 1 })),
  );
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class Grid {
  // on.choose(row, col) on click or Enter; on.look(row, col) on hover or focus; on.leave().
  constructor(rows, cols, { name, style, on }) {
    Object.assign(this, { rows, cols, at: [0, 0] });
    this.cells = [];
    this.node = el("div", { class: `grid ${style}`, role: "group", "aria-label": name });
    this.node.style.gridTemplateColumns = `repeat(${cols}, 1fr)`;
    for (let r = 0; r < rows; r++) {
      this.cells.push([]);
      for (let c = 0; c < cols; c++) {
        const button = el("button", {
          type: "button", tabindex: r || c ? -1 : 0, "data-row": r, "data-col": c,
          onclick: () => on.choose(r, c),
          onpointerenter: () => on.look(r, c),
          onfocus: () => { this.settle(r, c); on.look(r, c); },
        });
        this.cells[r].push(button);
        this.node.append(button);
      }
    }
    this.node.addEventListener("pointerleave", on.leave);
    this.node.addEventListener("keydown", (event) => this.walk(event));
  }

  settle(row, col) {
    this.cells[this.at[0]][this.at[1]].tabIndex = -1;
    this.at = [row, col];
    this.cells[row][col].tabIndex = 0;
  }

  focus() { this.cells[this.at[0]][this.at[1]].focus(); }

  walk(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const row = Math.min(this.rows - 1, Math.max(0, this.at[0] + step[0]));
    const col = Math.min(this.cols - 1, Math.max(0, this.at[1] + step[1]));
    this.cells[row][col].focus();
  }

  each(visit) {
    this.cells.forEach((line, r) => line.forEach((button, c) => visit(button, r, c)));
  }
}
