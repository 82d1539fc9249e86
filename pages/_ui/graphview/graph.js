// The graph one can click, drag, zoom and walk through with the keyboard. Draws a Picture (picture.py) as SVG.
// Names and notes come from the user's data: they only ever become text nodes.

const SVG = "http://www.w3.org/2000/svg";
const CLICK = 5;          // px a pointer may wander and still mean a click
const ROUND = 48;         // px before and after a bend in which a line turns
const LARGEST = 1.35;     // a small graph is not blown up further than this
const TELEPHONE = 520;    // px; in a narrower frame the narrow arrangement is drawn
const views = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const view = views.get(parentElement) || new View(parentElement);
  views.set(parentElement, view);
  view.show(data, setTriggerValue);
  return () => view.close();
}

class View {
  constructor(root) {
    this.root = root;
    this.frame = root.querySelector(".graph");
    this.svg = root.querySelector("svg.canvas");
    this.tip = root.querySelector(".tip");
    this.moved = new Map();
    this.zoom = { k: 1, x: 0, y: 0 };
    this.listen();
  }

  show(data, send) {
    if (!this.data || this.data.arrangement !== data.arrangement) {
      this.moved.clear();
      this.zoom = { k: 1, x: 0, y: 0 };
    }
    this.data = data;
    this.send = send;
    this.selected = data.selected;
    this.root.querySelector(".legend").innerHTML = data.legend;  // from svg.py, without a word of the user's
    this.draw();
  }

  close() {
    this.watcher.disconnect();
    views.delete(this.root);
  }

  // Drawing -----------------------------------------------------------------------------------------------------------

  // The arrangement that fits the frame; what was dragged in the other one goes back to its place.
  choose() {
    const { picture } = this.data, wide = this.frame.clientWidth, narrow = Boolean(picture.narrow && wide && wide < TELEPHONE);
    if (narrow !== this.narrow) { this.moved.clear(); this.zoom = { k: 1, x: 0, y: 0 }; }
    this.narrow = narrow;
    this.picture = narrow ? picture.narrow : picture;
  }

  draw() {
    const focus = this.root.activeElement?.dataset?.node;
    this.choose();
    const { picture } = this;
    this.nodes = picture.nodes.map((node, k) => ({ ...node, ...this.moved.get(k) }));
    this.junctions = picture.junctions.map((mark) => this.follow(mark));
    this.svg.replaceChildren();
    this.svg.setAttribute("aria-label", picture.alt);
    this.layer = element("g", {}, this.svg);
    picture.lines.forEach((line) => this.drawLine(line));
    this.junctions.forEach((mark, k) => this.drawJunction(mark, k));
    this.nodes.forEach((node, k) => this.drawNode(node, k));
    this.fit();
    if (focus !== undefined) this.layer.querySelector(`[data-node="${focus}"]`)?.focus({ preventScroll: true });
  }

  follow(mark) {
    const home = this.picture.nodes[mark.child], now = this.nodes[mark.child];
    return { ...mark, x: mark.x + now.x - home.x, y: mark.y + now.y - home.y };
  }

  drawNode(node, k) {
    const role = this.roleOf(k);
    const group = element("g", {
      class: `node ${role}`, "data-node": k, role: "button", tabindex: k === (this.selected ?? 0) ? 0 : -1,
      "aria-label": node.note || node.name, "aria-pressed": String(k === this.selected),
      transform: `translate(${node.x},${node.y})`,
    }, this.layer);
    const { width: w, height: h } = node;
    if (k === this.selected) element("rect", { class: "ring", x: -w / 2 - 5, y: -h / 2 - 5, width: w + 10, height: h + 10, rx: 12 }, group);
    if (node.stacked) element("rect", { class: "box", x: this.data.stack - w / 2, y: -this.data.stack - h / 2, width: w, height: h, rx: 8 }, group);
    element("rect", { class: "box", x: -w / 2, y: -h / 2, width: w, height: h, rx: 8 }, group);
    if (node.share !== null) {
      element("rect", { class: "gauge", x: 9 - w / 2, y: h / 2 - 5.5, width: w - 18, height: 2.5, rx: 1.2 }, group);
      element("rect", { class: "gauge full", x: 9 - w / 2, y: h / 2 - 5.5, width: (w - 18) * node.share, height: 2.5, rx: 1.2 }, group);
    }
    const label = element("text", { "text-anchor": "middle" }, group);
    node.lines.forEach((words, row) => {
      const y = (row - (node.lines.length - 1) / 2) * 17 + 5;
      element("tspan", { x: 0, y }, label).textContent = words;
    });
  }

  drawLine(line) {
    const { width, colour } = line;
    const chosen = this.data.edge && line.edge && line.edge.every((k) => this.data.edge.includes(k)) ? "chosen" : "";
    const group = element("g", { class: `line ${this.isNear(line) ? "" : "far"} ${chosen}` }, this.layer);
    group.note = line.note;
    group.edge = line.edge;
    const points = this.track(line);
    const head = arrowhead(points, width);
    const visible = line.head === "none" ? points : shortened(points, 7 + 1.4 * width);
    const path = curve(visible);
    element("path", { class: "hit", d: path }, group);
    const dash = line.dashed ? `${4 + width} ${3 + width}` : "none";
    element("path", { class: "stroke", d: path, style: `stroke:var(--${colour});stroke-width:${width};stroke-dasharray:${dash}` }, group);
    if (line.head !== "none") {
      const fill = line.head === "hollow" ? "paper" : line.head_colour;
      element("polygon", { points: head.join(" "), style: `fill:var(--${fill});stroke:var(--${line.head_colour})`, class: "head" }, group);
    }
    [[line.tail_text, along(points, 16)], [line.head_text, along(points, -16)]].forEach(([words, [x, y]]) => {
      if (words) element("text", { class: "end", x, y: y + 4, "text-anchor": "middle" }, group).textContent = words;
    });
  }

  drawJunction(mark, k) {
    const near = this.selected === null || this.picture.lines.some((line) => line.target === this.nodes.length + k && this.isNear(line));
    const group = element("g", { class: `line ${near ? "" : "far"}` }, this.layer);
    group.note = mark.note;
    const s = this.data.junction, { x, y } = mark;
    element("polygon", { class: "diamond", points: `${x},${y - s} ${x + s},${y} ${x},${y + s} ${x - s},${y}` }, group);
  }

  edgeOf(line) { return line.edge || [null, line.target]; }

  isNear(line) { return this.selected === null || this.edgeOf(line).includes(this.selected); }

  roleOf(k) {
    if (this.selected === null) return "";
    if (k === this.selected) return "selected";
    const touches = (line) => line.edge && line.edge.includes(k) && line.edge.includes(this.selected);
    return this.picture.lines.some(touches) ? "near" : "far";
  }

  // Geometry, as in geometry.py ---------------------------------------------------------------------------------------

  shape(place) { return place < this.nodes.length ? this.nodes[place] : this.junctions[place - this.nodes.length]; }

  track(line) {
    const a = this.shape(line.source), b = this.shape(line.target);
    const free = this.edgeOf(line).some((k) => this.moved.has(k));  // a dragged edge is straight
    const bends = free ? [] : line.bends;
    const first = bends[0] || [b.x, b.y], last = bends[bends.length - 1] || [a.x, a.y];
    const clearance = line.head === "none" && b.child !== undefined ? 0 : 3;
    return [this.border(a, first, 0), ...bends, this.border(b, last, clearance)];
  }

  border(shape, [tx, ty], clearance) {
    const dx = tx - shape.x, dy = ty - shape.y, distance = Math.hypot(dx, dy);
    if (distance < 1e-9) return [shape.x, shape.y];
    const inside = shape.child !== undefined
      ? this.data.junction / (Math.abs(dx) + Math.abs(dy))
      : Math.min(shape.width / 2 / Math.abs(dx), shape.height / 2 / Math.abs(dy));
    const part = Math.min(inside + clearance / distance, 1);
    return [shape.x + part * dx, shape.y + part * dy];
  }

  // Zoom --------------------------------------------------------------------------------------------------------------

  fit() {
    const { width, height } = this.picture;
    const wide = this.frame.clientWidth || 600;
    // As high as the picture asks for at this width, within reason: a wide, flat graph leaves no empty sheet below it.
    // On a telephone the page scrolls anyway, and names must stay legible.
    const asked = height * Math.min(LARGEST, wide / width) + 24, most = wide < TELEPHONE ? Math.max(asked, 300) : this.data.height;
    const high = Math.round(Math.max(Math.min(asked, most), Math.min(most, wide < TELEPHONE ? 300 : 380)));
    this.svg.style.height = `${high}px`;
    const scale = Math.min(wide / width, high / height, LARGEST);
    this.base = { scale, x: (wide - width * scale) / 2, y: (high - height * scale) / 2 };
    this.apply();
  }

  apply() {
    const { k, x, y } = this.zoom, { base } = this;
    this.layer.setAttribute("transform", `translate(${x + k * base.x},${y + k * base.y}) scale(${k * base.scale})`);
  }

  zoomBy(factor, cx = this.svg.clientWidth / 2, cy = this.svg.clientHeight / 2) {
    const k = Math.min(Math.max(this.zoom.k * factor, 0.4), 8), part = k / this.zoom.k;
    this.zoom = { k, x: cx - part * (cx - this.zoom.x), y: cy - part * (cy - this.zoom.y) };
    this.apply();
  }

  reset() {
    this.moved.clear();
    this.zoom = { k: 1, x: 0, y: 0 };
    this.draw();
  }

  // Hands -------------------------------------------------------------------------------------------------------------

  listen() {
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("pointermove", (event) => this.move(event));
    this.svg.addEventListener("pointerup", (event) => this.release(event));
    this.svg.addEventListener("pointercancel", () => { this.held = null; });
    this.svg.addEventListener("pointerleave", () => this.hint(null));
    this.svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;  // the plain wheel scrolls the page
      event.preventDefault();
      const at = this.svg.getBoundingClientRect();
      this.zoomBy(Math.exp(-event.deltaY / 300), event.clientX - at.left, event.clientY - at.top);
    }, { passive: false });
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("focusin", (event) => {
      const node = this.nodeAt(event.target);
      if (node !== null && event.target.matches(":focus-visible")) this.hintNode(node);
    });
    this.svg.addEventListener("focusout", () => this.hint(null));
    const tools = { in: () => this.zoomBy(1.25), out: () => this.zoomBy(0.8), home: () => this.reset() };
    Object.entries(tools).forEach(([name, act]) => this.root.querySelector(`[data-tool=${name}]`).addEventListener("click", act));
    let width = 0;
    this.watcher = new ResizeObserver(() => {
      if (this.layer && this.frame.clientWidth !== width) { width = this.frame.clientWidth; this.draw(); }
    });
    this.watcher.observe(this.frame);
  }

  nodeAt(target) {
    const group = target.closest?.("[data-node]");
    return group ? Number(group.dataset.node) : null;
  }

  press(event) {
    if (event.button !== 0) return;
    const node = this.nodeAt(event.target), at = node === null ? { ...this.zoom } : { x: this.nodes[node].x, y: this.nodes[node].y };
    const line = event.target.closest?.(".line") || null;
    this.held = { node, line, at, x: event.clientX, y: event.clientY, far: false };
    // From now on every event has the whole drawing as its target: what was pressed is remembered above.
    if (node !== null || event.pointerType === "mouse") this.svg.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.held) { this.hint(event); return; }
    const { node, at, x, y } = this.held, dx = event.clientX - x, dy = event.clientY - y;
    if (Math.hypot(dx, dy) > CLICK) this.held.far = true;
    if (!this.held.far) return;
    this.hint(null);
    if (node === null) {
      this.zoom = { ...at, x: at.x + dx, y: at.y + dy };
      this.apply();
    } else {
      const scale = this.zoom.k * this.base.scale;
      this.moved.set(node, { x: at.x + dx / scale, y: at.y + dy / scale });
      this.draw();
    }
  }

  release(event) {
    const held = this.held;
    this.held = null;
    if (!held || held.far) return;
    if (held.node !== null) this.select(held.node === this.selected ? null : held.node);
    else if (held.line) this.pick(held.line, event);
    else if (this.selected !== null) this.select(null);
  }

  select(node) {
    this.selected = node;
    this.hint(null);
    this.draw();
    this.send("clicked", { node });
  }

  pick(line, event) {
    const at = this.frame.getBoundingClientRect();
    if (line.note) this.placeTip(line.note, event.clientX - at.left, event.clientY - at.top);
    if (line.edge && this.data.pick_edges) this.send("clicked", { edge: line.edge });
  }

  key(event) {
    const node = this.nodeAt(event.target);
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key in steps && node !== null) this.walk(node, steps[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && node !== null) this.select(node === this.selected ? null : node);
    else if (event.key === "Escape" && this.selected !== null) this.select(null);
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.25);
    else if (event.key === "-") this.zoomBy(0.8);
    else if (event.key === "0") this.reset();
    else return;
    event.preventDefault();
  }

  walk(from, [sx, sy]) {
    const { x, y } = this.nodes[from];
    const cost = (node) => {
      const ahead = (node.x - x) * sx + (node.y - y) * sy, aside = Math.abs((node.x - x) * sy) + Math.abs((node.y - y) * sx);
      return ahead > 1 ? ahead + 2 * aside : Infinity;
    };
    const best = this.nodes.reduce((least, node, k) => (k !== from && cost(node) < cost(this.nodes[least] || { x, y }) ? k : least), -1);
    if (best >= 0) this.layer.querySelector(`[data-node="${best}"]`).focus({ preventScroll: true });
  }

  // Hints -------------------------------------------------------------------------------------------------------------

  noteAt(event) {
    const node = this.nodeAt(event.target);
    if (node !== null) return this.nodes[node].note;
    return event.target.closest?.(".line")?.note || "";
  }

  hint(event) {
    const note = event ? this.noteAt(event) : "";
    if (!note) { this.tip.hidden = true; return; }
    const at = this.frame.getBoundingClientRect();
    this.placeTip(note, event.clientX - at.left, event.clientY - at.top);
  }

  hintNode(k) {
    const at = this.frame.getBoundingClientRect(), box = this.layer.querySelector(`[data-node="${k}"]`).getBoundingClientRect();
    this.placeTip(this.nodes[k].note, box.left - at.left + box.width / 2, box.bottom - at.top - 8);
  }

  placeTip(note, x, y) {
    this.tip.textContent = note;
    this.tip.hidden = false;
    const left = Math.min(Math.max(x + 14, 4), Math.max(this.frame.clientWidth - this.tip.offsetWidth - 4, 4));
    const under = y + 18 + this.tip.offsetHeight < this.frame.clientHeight;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${under ? y + 18 : Math.max(y - this.tip.offsetHeight - 10, 4)}px`;
  }
}

function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  return parent.appendChild(made);
}

function arrowhead(points, width) {
  const [[x0, y0], [x1, y1]] = points.slice(-2), length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const ux = (x1 - x0) / length, uy = (y1 - y0) / length, long = 9 + 1.6 * width, half = 4 + 0.9 * width;
  const bx = x1 - long * ux, by = y1 - long * uy;
  return [[x1, y1], [bx - half * uy, by + half * ux], [bx + half * uy, by - half * ux]];
}

function shortened(points, by) {
  const [[x0, y0], [x1, y1]] = points.slice(-2), length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const part = Math.max(length - by, 0) / length;
  return [...points.slice(0, -1), [x0 + part * (x1 - x0), y0 + part * (y1 - y0)]];
}

function curve(points) {
  let path = `M${points[0]}`;
  for (let k = 1; k + 1 < points.length; k++) {
    path += `L${towards(points[k], points[k - 1])}Q${points[k]} ${towards(points[k], points[k + 1])}`;
  }
  return `${path}L${points[points.length - 1]}`;
}

function towards([bx, by], [ox, oy]) {
  const part = Math.min(ROUND / (Math.hypot(ox - bx, oy - by) || 1), 0.5);
  return [bx + part * (ox - bx), by + part * (oy - by)];
}

function along(points, distance) {
  const [[x0, y0], [x1, y1]] = distance >= 0 ? points : [points[points.length - 1], points[points.length - 2]];
  const part = Math.min(Math.abs(distance) / (Math.hypot(x1 - x0, y1 - y0) || 1), 0.5);
  return [x0 + part * (x1 - x0), y0 + part * (y1 - y0)];
}
