'use strict';
// The page: data (unpack), places (layout), drawing (draw, strip, charts), lists, and what the reader does. The state is a
// time step and a selection; every change ends in show(), which draws all from them.
(async () => {
const $ = id => document.getElementById(id);

// ---- Data -----------------------------------------------------------------------------------------------------------

// unpack returns the page's data (Page in page.go) and the levels behind it.
async function unpack() {
  const packed = Uint8Array.from(atob($('data').textContent), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const all = new Uint8Array(await new Response(stream).arrayBuffer());
  const n = new DataView(all.buffer).getUint32(0, true);
  return [JSON.parse(new TextDecoder().decode(all.subarray(4, 4 + n))), all.subarray(4 + n)];
}

let run, levels;
try {
  [run, levels] = await unpack();
} catch (e) {
  $('failed').textContent = 'This browser cannot read the page: it needs DecompressionStream (Chrome 103, Safari 16.4, Firefox 113, or later).';
  $('failed').hidden = false;
  return;
}
const {nodes, links, steps} = run, ports = 2 * links.length;

// value is that of a series (queue, busy, paused, drops, marks) at a port and step; 0 where there is no series.
const square = Float64Array.from({length: 256}, (_, l) => (l / 255) ** 2);
const level = (s, port, step) => s ? levels[s.at + port * steps + step] : 0;
const value = (s, port, step) => s ? s.max * square[level(s, port, step)] : 0;
const curve = c => Float64Array.from(levels.subarray(c.at, c.at + c.n), l => c.max * l / 255);

const from = p => p & 1 ? links[p >> 1].b : links[p >> 1].a;
const to = p => from(p ^ 1);
const isHost = n => nodes[n].layer === 0;
const portName = p => nodes[from(p)].name + ' → ' + nodes[to(p)].name;
const startOf = step => run.from + step * run.step;
const endOf = step => Math.min(run.end, startOf(step + 1));
const stepOf = t => Math.max(0, Math.min(steps - 1, Math.floor((t - run.from) / run.step)));

// What the strip shows: of each step the longest queue and where, mean utilisation, drops, the share of ports paused.
const total = (() => {
  const t = {queue: new Float64Array(steps), where: new Int32Array(steps).fill(-1), busy: new Float64Array(steps), drops: new Float64Array(steps), lost: new Float64Array(steps), paused: new Float64Array(steps), peak: 0};
  let rate = 0;
  for (let p = 0; p < ports; p++) {
    if (!run.seen[p]) continue;
    const r = links[p >> 1].rate;
    rate += r;
    for (let s = 0; s < steps; s++) {
      const q = value(run.queue, p, s);
      if (q > t.queue[s]) { t.queue[s] = q; t.where[s] = p; }
      t.busy[s] += r * value(run.busy, p, s);
      t.drops[s] += Math.round(value(run.drops, p, s));
      t.paused[s] += value(run.paused, p, s);
    }
  }
  for (let s = 0; s < steps; s++) {
    t.busy[s] /= rate || 1;
    t.lost[s] = t.drops[s] + (s ? t.lost[s - 1] : 0);
    if (t.queue[s] > t.queue[t.peak]) t.peak = s;
  }
  return t;
})();
const sum = list => (list || []).reduce((a, b) => a + b, 0);
const recorded = {ports: run.seen.some(x => x), drops: sum(run.drops && run.drops.sums), paused: run.paused !== null};

// ---- Words ----------------------------------------------------------------------------------------------------------

const digits = (v, n = 3) => v === 0 ? '0' : Math.abs(v) >= 1000 ? v.toFixed(0) : String(Number(v.toPrecision(n)));
const scaled = (v, list) => { const [s, u] = list.find(([s]) => Math.abs(v) >= s) || list[list.length - 1]; return (s === 1 ? String(Math.round(v)) : digits(v / s)) + ' ' + u; };
const bytes = v => scaled(v, [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'KB'], [1, 'B']]);
const rate = v => scaled(v, [[1e12, 'Tb/s'], [1e9, 'Gb/s'], [1e6, 'Mb/s'], [1e3, 'Kb/s'], [1, 'b/s']]);
const percent = v => (100 * v).toFixed(v > 0 && v < .1 ? 1 : 0) + ' %';
const duration = v => scaled(v, [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']]);
const instant = t => run.end >= 1 ? t.toFixed(3) + ' s' : run.end >= 1e-3 ? (1e3 * t).toFixed(3) + ' ms' : (1e6 * t).toFixed(1) + ' µs';
const plural = (n, word) => n.toLocaleString('en') + ' ' + word + (n === 1 ? '' : 's');

// make builds an element: make('button', {class: 'x', onclick: f}, child, ...).
function make(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) k.startsWith('on') ? e.addEventListener(k.slice(2), v) : v === false || e.setAttribute(k, v === true ? '' : v);
  e.append(...children);
  return e;
}

// ---- Colours --------------------------------------------------------------------------------------------------------

// The scale of utilisation in 64 shades, and the other colours, by the page's light or dark style.
let ink = {};
function readColours() {
  const style = getComputedStyle(document.documentElement), get = n => style.getPropertyValue('--' + n).trim();
  const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
  const marks = Array.from({length: 7}, (_, i) => rgb(get('shade-' + i)));
  ink = {paper: get('paper'), text: get('ink'), soft: get('soft'), axis: get('axis'), grid: get('grid'), fine: get('fine'), queue: get('hue-1'), busy: get('hue-0'), second: get('hue-2'), pause: get('hue-6'), down: get('down')};
  ink.shades = Array.from({length: 64}, (_, i) => {
    // From the second shade on: the first one is that of the page.
    const x = .6 + i / 63 * 5.4, a = Math.min(5, Math.floor(x)), f = x - a;
    return 'rgb(' + marks[a].map((v, k) => Math.round(v * (1 - f) + marks[a + 1][k] * f)) + ')';
  });
}
const shade = u => ink.shades[Math.max(0, Math.min(63, Math.round(u * 63)))];

// prepare sizes a canvas for the screen and returns its context, in CSS pixels.
function prepare(canvas, width, height) {
  const k = window.devicePixelRatio || 1, w = Math.round(width * k), h = Math.round(height * k);
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; canvas.style.height = height + 'px'; }
  const c = canvas.getContext('2d');
  c.setTransform(k, 0, 0, k, 0, 0);
  c.clearRect(0, 0, width, height);
  return c;
}
const font = (size, weight = 400) => `${weight} ${size}px system-ui, "Segoe UI", "Liberation Sans", Arial, sans-serif`;

// textWidth is the width of a text in letters of 10 pixels.
const textWidth = text => { const c = $('net').getContext('2d'); c.font = font(10); return c.measureText(text).width; };

// ---- Places ---------------------------------------------------------------------------------------------------------

// The neighbours of each node, and the switch below which a host is drawn.
const near = nodes.map(() => []);
links.forEach((l, i) => { near[l.a].push([l.b, 2 * i]); near[l.b].push([l.a, 2 * i + 1]); });
const home = nodes.map((_, n) => isHost(n) ? (near[n].find(([m]) => !isHost(m)) || [-1])[0] : -1);

// layout gives nodes and links their places: racks at the bottom, a switch above its hosts, and the other layers above
// that, each node at the middle of those below it. Hosts have lines where there is room, and are cells where not.
function layout(width) {
  const rows = run.layers.map(() => []), members = new Map();
  nodes.forEach((n, i) => { if (!isHost(i)) rows[n.layer].push(i); else members.set(home[i], [...(members.get(home[i]) || []), i]); });
  const racks = [...members.keys()].filter(s => s < 0 || nodes[s].layer !== 1).concat(rows[1] || []);
  // Switches with the same neighbours above are a pod.
  const above = s => s < 0 ? '' : near[s].filter(([m]) => nodes[m].layer > 1).map(([m]) => m).join();
  const gaps = racks.map((s, i) => i && above(s) !== above(racks[i - 1]) ? 2.5 : 1);
  // On a wide page the names of the layers stand at the left.
  const name = l => run.layers[l].name + ' ' + (l ? rows[l] : racks.flatMap(s => members.get(s) || [])).length;
  const left = width < 600 ? 8 : 18 + 1.25 * Math.max(...rows.map((_, l) => textWidth(name(l)))), right = width < 600 ? 8 : 14, gap = Math.min(14, (width - left - right) / racks.length * .16);
  const weights = racks.map(s => Math.max(1, (members.get(s) || []).length));
  const room = width - left - right - gap * sum(gaps.slice(1)), unit = room / sum(weights);
  const most = Math.max(...weights);
  const lines = unit >= 7, cells = {w: 0, h: 0, columns: 1};
  if (!lines) {
    const w = unit * most;
    cells.columns = Math.max(1, Math.min(most, Math.floor(w / 9.5)));
    const deep = Math.ceil(most / cells.columns);
    cells.columns = Math.ceil(most / deep);
    cells.w = w / cells.columns;
    cells.h = Math.max(4, Math.min(cells.w, 11, 130 / deep));
  }
  const upper = Math.max(0, rows.length - 2), arcs = links.some(l => !isHost(l.a) && nodes[l.a].layer === nodes[l.b].layer);
  const vault = upper ? 22 : Math.min(110, width * .18); // how high links between switches of one layer rise
  const depth = lines ? upper || arcs ? 76 : 150 : Math.ceil(most / cells.columns) * cells.h + 10;
  const rise = Math.max(84, Math.min(width * .26, 280 / Math.max(1, upper)));
  const top = (width < 600 ? 24 : 18) + (arcs && !upper ? vault : 0), base = top + upper * rise;
  const height = base + 16 + depth + (lines ? 24 : 18);
  const place = nodes.map(() => null), box = new Map();

  // The bottom: racks.
  let x = left;
  racks.forEach((s, i) => {
    x += i ? gap * gaps[i] : 0;
    const w = unit * weights[i], list = members.get(s) || [];
    list.forEach((h, k) => {
      const c = k % cells.columns, r = Math.floor(k / cells.columns);
      place[h] = lines ? {x: x + unit * (k + .5), y: base + 16 + depth} : {x: x + (c + .5) * cells.w, y: base + 24 + (r + .5) * cells.h};
    });
    if (s >= 0 && nodes[s].layer === 1) { place[s] = {x: x + w / 2, y: base}; box.set(s, Math.max(3, w - (w > 12 ? 2 : .5))); }
    x += w;
  });
  // The layers above: in the order of what is below them, evenly within the width of that.
  for (let l = 2; l < rows.length; l++) {
    const groups = new Map();
    for (const s of rows[l]) {
      const below = near[s].filter(([m]) => place[m] && nodes[m].layer < l).map(([m]) => place[m].x);
      const mean = below.length ? sum(below) / below.length : (left + width - right) / 2, key = mean.toFixed(1);
      if (!groups.has(key)) groups.set(key, {mean, a: Infinity, b: -Infinity, list: []});
      const g = groups.get(key);
      g.list.push(s);
      g.a = Math.min(g.a, ...below, mean);
      g.b = Math.max(g.b, ...below, mean);
    }
    const sorted = [...groups.values()].sort((a, b) => a.mean - b.mean), slot = (width - left - right) / rows[l].length;
    const apart = sorted.every((g, i) => !i || g.a > sorted[i - 1].b);
    let k = 0;
    for (const g of sorted) {
      const grow = apart && sorted.length > 1 ? (g.b - g.a) / Math.max(1, weights.length / sorted.length - 1) / 2 : 0;
      g.list.forEach((s, i) => {
        const at = apart && sorted.length > 1 ? g.a - grow + (g.b - g.a + 2 * grow) * (i + .5) / g.list.length : left + slot * (k + .5);
        place[s] = {x: at, y: top + (rows.length - 1 - l) * rise};
        box.set(s, Math.max(3, Math.min(slot * .7, 60)));
        k++;
      });
    }
  }
  // Links: from the edge of one box to that of the other, side by side in the order of the other ends.
  const ends = links.map(() => [null, null]);
  nodes.forEach((_, s) => {
    if (isHost(s) || !place[s]) return;
    for (const up of [true, false]) {
      const list = near[s].filter(([m]) => place[m] && !(isHost(m) && home[m] === s) && (place[m].y < place[s].y || place[m].y === place[s].y) === up).sort((a, b) => place[a[0]].x - place[b[0]].x);
      const w = box.get(s) * .8;
      list.forEach(([, p], i) => { ends[p >> 1][p & 1] = {x: place[s].x + (list.length > 1 ? w * (i / (list.length - 1) - .5) : 0), y: place[s].y + (up ? 0 : 16)}; });
    }
  });
  const wire = links.map((l, i) => {
    const [h, s] = isHost(l.a) ? [l.a, l.b] : [l.b, l.a];
    if (isHost(h) && home[h] === s && !isHost(s)) {
      if (!lines) return {cell: place[h]};
      const a = {x: place[h].x, y: place[h].y - 4}, b = {x: nodes[s].layer === 1 ? place[h].x : place[s].x, y: place[s].y + 16};
      return isHost(l.a) ? {a, b} : {a: b, b: a};
    }
    const a = ends[i][0] || place[l.a], b = ends[i][1] || place[l.b];
    const arc = a.y === b.y ? 2 * (12 + (vault - 12) * Math.min(1, Math.abs(a.x - b.x) / width)) : 0;
    return {a, b, arc};
  });
  // The switches of a layer have their names in their boxes if all fit, or else their numbers, or nothing.
  const letters = rows.map(list => [s => nodes[s].name, s => nodes[s].name.replace(/^\D+/, '')].map(text => (
    {text, size: Math.min(10.5, ...list.map(s => 10 * ((box.get(s) || 0) - 4) / textWidth(text(s))))})).find(x => x.size >= 8.5));
  return {width, height, place, box, wire, cells, lines, unit, rows, top, rise, letters, base, depth, gutter: left > 50};
}

// middle is where the two ports of a link meet; along is a point of a port's half, t = 0 at its node.
const middle = w => ({x: (w.a.x + w.b.x) / 2, y: (w.a.y + w.b.y) / 2 - w.arc * .5});
function along(w, p, t) {
  const a = p & 1 ? w.b : w.a, m = middle({arc: 0, ...w});
  if (!w.arc) return {x: a.x + (m.x - a.x) * t, y: a.y + (m.y - a.y) * t};
  const c = {x: (a.x + m.x) / 2, y: m.y}, u = 1 - t;
  return {x: u * u * a.x + 2 * u * t * c.x + t * t * m.x, y: u * u * a.y + 2 * u * t * c.y + t * t * m.y};
}

// ---- State ----------------------------------------------------------------------------------------------------------

const state = {step: total.peak, port: -1, flow: -1, playing: false};
const byId = new Map(run.flows.map((f, i) => [f.id, i]));
const pathAt = (f, t) => f.paths.reduce((found, p) => p.from <= t || !found ? p : found, null);
const under = (f, step) => f.start < endOf(step) && f.end > startOf(step);
let places, wanted = null; // wanted: the ports of the flows that the filter chooses

// ---- The network ----------------------------------------------------------------------------------------------------

const radius = q => run.queue && q > 0 ? 15 * Math.sqrt(q / run.queue.max) * Math.min(1, .55 + places.width / 1800) : 0;

// focus returns the ports that stand out, null if all do.
function focus() {
  if (state.flow >= 0) return new Set((pathAt(run.flows[state.flow], endOf(state.step)) || {ports: []}).ports);
  return wanted;
}

function draw(c = prepare($('net'), places.width, places.height)) {
  const {place, box, wire, cells, width} = places, s = state.step;
  const bright = focus(), dim = p => bright && !bright.has(p);
  const broken = new Map();
  for (const f of run.faults) if (f.at < endOf(s) && f.until > startOf(s)) for (const l of f.links) broken.set(l, broken.get(l) || f.down);
  c.lineCap = 'butt';
  const half = p => {
    const w = wire[p >> 1], a = p & 1 ? w.b : w.a, m = middle({arc: 0, ...w});
    c.moveTo(a.x, a.y);
    if (w.arc) c.quadraticCurveTo((a.x + m.x) / 2, m.y, m.x, m.y); else c.lineTo(m.x, m.y);
  };
  // All links, so that idle ones are there; then those in use, the busiest on top.
  c.strokeStyle = ink.grid;
  c.lineWidth = 1;
  c.beginPath();
  for (let p = 0; p < ports; p++) if (!wire[p >> 1].cell && broken.get(p >> 1) !== true) half(p);
  c.stroke();
  if (state.flow >= 0) {
    c.strokeStyle = ink.axis;
    c.lineWidth = 5;
    c.beginPath();
    for (const p of bright) if (!wire[p >> 1].cell) { half(p); half(p ^ 1); }
    c.stroke();
  }
  const shelves = Array.from({length: 64}, () => []);
  for (let p = 0; p < ports; p++) {
    const u = value(run.busy, p, s);
    if (u > .004 && !wire[p >> 1].cell && broken.get(p >> 1) !== true) shelves[Math.min(63, Math.round(u * 63))].push(p);
  }
  const thick = width < 500 ? 1.6 : links.length > 900 ? 1 : links.length > 300 ? 2 : 3;
  for (const faded of bright ? [true, false] : [false]) {
    c.globalAlpha = faded ? .14 : 1;
    shelves.forEach((list, i) => {
      if (!list.length) return;
      c.strokeStyle = ink.shades[i];
      c.lineWidth = (faded || !bright ? 1 : 1.7) * thick * (.45 + .55 * i / 63);
      c.beginPath();
      for (const p of list) if (!!dim(p) === faded) half(p);
      c.stroke();
    });
  }
  c.globalAlpha = 1;
  // Hosts as cells: what they send, and what they get.
  for (let p = 0; p < ports; p++) {
    const w = wire[p >> 1];
    if (!w.cell) continue;
    const gets = !isHost(from(p)), g = Math.min(.8, cells.w * .12), x = w.cell.x - cells.w / 2 + g + (gets ? (cells.w - 2 * g) / 2 : 0);
    const u = value(run.busy, p, s);
    c.globalAlpha = dim(p) ? .2 : 1;
    c.fillStyle = u > .004 ? shade(u) : ink.fine;
    c.fillRect(x, w.cell.y - cells.h / 2 + g, (cells.w - 2 * g) / 2, cells.h - 2 * g);
  }
  c.globalAlpha = 1;
  if (state.flow >= 0 && !places.lines) {
    c.strokeStyle = ink.text;
    c.lineWidth = 1.4;
    for (const h of [run.flows[state.flow].src, run.flows[state.flow].dst]) c.strokeRect(place[h].x - cells.w / 2, place[h].y - cells.h / 2, cells.w, cells.h);
  }
  // What is broken.
  c.strokeStyle = ink.down;
  c.lineWidth = 1.6;
  for (const [l, down] of broken) {
    if (wire[l].cell) { c.strokeRect(wire[l].cell.x - cells.w / 2, wire[l].cell.y - cells.h / 2, cells.w, cells.h); continue; }
    c.setLineDash(down ? [4, 4] : [1, 3]);
    c.beginPath();
    half(2 * l);
    half(2 * l + 1);
    c.stroke();
  }
  c.setLineDash([]);
  // Nodes.
  c.textAlign = 'center';
  c.textBaseline = 'middle';
  const path = state.flow >= 0 ? new Set([...bright].flatMap(p => [from(p), to(p)])) : state.port >= 0 ? new Set([from(state.port), to(state.port)]) : new Set();
  nodes.forEach((n, i) => {
    const at = place[i];
    if (!at) return;
    if (isHost(i)) {
      if (!places.lines) return;
      c.fillStyle = path.has(i) ? ink.text : ink.axis;
      c.beginPath();
      c.arc(at.x, at.y, Math.min(4, places.unit * .28), 0, 7);
      c.fill();
      if (places.unit >= 24 || path.has(i)) { c.font = font(10.5, path.has(i) ? 600 : 400); c.fillStyle = path.has(i) ? ink.text : ink.soft; c.fillText(n.name, at.x, at.y + 13); }
      return;
    }
    const w = box.get(i), h = w < 10 ? 6 : 16, y = at.y + (16 - h) * (n.layer === 1 ? 1 : .5);
    c.beginPath();
    c.roundRect(at.x - w / 2, y, w, h, w < 10 ? 1 : 3);
    c.fillStyle = ink.paper;
    c.fill();
    c.fillStyle = path.has(i) ? ink.text : ink.fine;
    c.fill();
    c.lineWidth = w < 10 ? .7 : 1;
    c.strokeStyle = path.has(i) ? ink.text : ink.axis;
    c.stroke();
    const letters = h === 16 && places.letters[n.layer];
    if (letters) { c.font = font(letters.size); c.fillStyle = path.has(i) ? ink.paper : ink.soft; c.fillText(letters.text(i), at.x, at.y + 8.5); }
  });
  // The names of the layers.
  c.textAlign = 'left';
  c.font = font(11, 600);
  c.lineJoin = 'round';
  run.layers.forEach((l, i) => {
    const count = i ? places.rows[i].length : nodes.filter(n => n.layer === 0).length;
    const y = i ? places.top + (places.rows.length - 1 - i) * places.rise : places.base + 24 + (places.lines ? places.depth - 8 : places.depth / 2 - 10);
    if (places.gutter) {
      c.fillStyle = ink.soft;
      c.font = font(11.5, 600);
      c.fillText(l.name, 0, y + 8);
      const x = c.measureText(l.name + ' ').width;
      c.font = font(11.5);
      if (count > 1) c.fillText(count, x, y + 8);
    } else if (i && !path.size) outlined(c, count > 1 ? l.name + ' ' + count : l.name, 0, y - 11, ink.soft);
  });
  // Queues as discs, pauses and drops: what asks for attention comes last.
  const spot = (p, off = 0) => {
    const w = wire[p >> 1];
    if (w.cell) return {x: w.cell.x + (isHost(from(p)) ? -1 : 1) * cells.w / 4, y: w.cell.y};
    const m = middle({arc: 0, ...w}), a = p & 1 ? w.b : w.a, d = Math.hypot(m.x - a.x, m.y - a.y) || 1;
    return along(w, p, Math.min(.9, (9 + off) / d));
  };
  const discs = [];
  for (let p = 0; p < ports; p++) { const r = radius(value(run.queue, p, s)); if (r > .7) discs.push([r, p]); }
  discs.sort((a, b) => b[0] - a[0]);
  c.fillStyle = ink.queue;
  c.strokeStyle = ink.paper;
  c.lineWidth = 1;
  for (const [r, p] of discs) {
    const at = spot(p);
    c.globalAlpha = dim(p) ? .15 : .9;
    c.beginPath();
    c.arc(at.x, at.y, r, 0, 7);
    c.fill();
    if (r > 3) c.stroke();
  }
  for (let p = 0; p < ports; p++) {
    c.globalAlpha = dim(p) ? .2 : 1;
    if (level(run.paused, p, s)) pauseMark(c, spot(p, level(run.queue, p, s) ? radius(value(run.queue, p, s)) + 6 : 0), 3 + 2 * value(run.paused, p, s));
    if (level(run.drops, p, s)) dropMark(c, spot(p), 4.5);
  }
  c.globalAlpha = 1;
  if (state.port >= 0) {
    const at = spot(state.port), r = Math.max(6, radius(value(run.queue, state.port, s)) + 3);
    c.strokeStyle = ink.text;
    c.lineWidth = 1.8;
    c.beginPath();
    c.arc(at.x, at.y, r, 0, 7);
    c.stroke();
  }
  // The names along a path, or at a chosen port, where they are not drawn anyway.
  c.font = font(11, 600);
  c.textAlign = 'center';
  for (const i of path.size <= 12 ? path : []) {
    const at = place[i];
    if (!at || (isHost(i) ? places.lines : places.letters[nodes[i].layer] && places.letters[nodes[i].layer].text(i) === nodes[i].name)) continue;
    const text = nodes[i].name, half = c.measureText(text).width / 2 + 3;
    outlined(c, text, Math.max(half, Math.min(width - half, at.x)), isHost(i) ? at.y + cells.h / 2 + 14 : at.y - 8, ink.text);
  }
}

// outlined writes a text that is readable on lines.
function outlined(c, text, x, y, colour) {
  c.strokeStyle = ink.paper;
  c.lineWidth = 4;
  c.strokeText(text, x, y);
  c.fillStyle = colour;
  c.fillText(text, x, y);
}

// marks: two bars for a pause, a cross for drops.
function pauseMark(c, at, r) {
  for (const [colour, width] of [[ink.paper, 4.4], [ink.pause, 2]]) {
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.beginPath();
    for (const dx of [-2, 2]) { c.moveTo(at.x + dx, at.y - r); c.lineTo(at.x + dx, at.y + r); }
    c.stroke();
  }
}
function dropMark(c, at, r) {
  for (const [colour, width] of [[ink.paper, 5], [ink.down, 2.4]]) {
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.beginPath();
    c.moveTo(at.x - r, at.y - r);
    c.lineTo(at.x + r, at.y + r);
    c.moveTo(at.x - r, at.y + r);
    c.lineTo(at.x + r, at.y - r);
    c.stroke();
  }
}

// vector returns a context that collects SVG, with those parts of a canvas that draw needs.
function vector(width, height) {
  const n = v => Number(v.toFixed(2)), letters = $('net').getContext('2d'), parts = [];
  const safe = text => String(text).replace(/[&<>"]/g, x => `&#${x.charCodeAt(0)};`);
  const anchors = {left: 'start', center: 'middle', right: 'end'}, space = make('template');
  space.innerHTML = '<svg></svg>';
  let d = '', dash = [];
  const c = {globalAlpha: 1, lineWidth: 1, lineCap: 'butt', lineJoin: 'miter'};
  const add = (tag, more, text = '') => parts.push(`<${tag} opacity="${n(c.globalAlpha)}" ${more}>${safe(text)}</${tag}>`);
  const lined = () => `fill="none" stroke="${c.strokeStyle}" stroke-width="${n(c.lineWidth)}" stroke-linejoin="${c.lineJoin}" stroke-dasharray="${dash.join(' ') || 'none'}"`;
  const rect = (x, y, w, h, more) => `x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" ${more || ''}`;
  const words = (x, y) => {
    const base = {middle: .35, top: .85}[c.textBaseline] || 0, size = parseFloat(c.font.split(' ')[1]);
    return `x="${n(x)}" y="${n(y + base * size)}" text-anchor="${anchors[c.textAlign]}" style="font:${safe(c.font)}"`;
  };
  return Object.assign(c, {
    beginPath() { d = ''; },
    moveTo(x, y) { d += `M${n(x)} ${n(y)}`; },
    lineTo(x, y) { d += `L${n(x)} ${n(y)}`; },
    quadraticCurveTo(a, b, x, y) { d += `Q${n(a)} ${n(b)} ${n(x)} ${n(y)}`; },
    arc(x, y, r) { d += `M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0z`; },
    roundRect(x, y, w, h) { d += `M${n(x)} ${n(y)}h${n(w)}v${n(h)}h${n(-w)}z`; },
    setLineDash(list) { dash = list; },
    stroke() { if (d) add('path', `d="${d}" ${lined()}`); },
    fill() { if (d) add('path', `d="${d}" fill="${c.fillStyle}"`); },
    fillRect(x, y, w, h) { add('rect', rect(x, y, w, h, `fill="${c.fillStyle}"`)); },
    strokeRect(x, y, w, h) { add('rect', rect(x, y, w, h, lined())); },
    fillText(text, x, y) { add('text', `${words(x, y)} fill="${c.fillStyle}"`, text); },
    strokeText(text, x, y) { add('text', `${words(x, y)} ${lined()}`, text); },
    measureText(text) { letters.font = c.font; return letters.measureText(text); },
    svg: () => `<svg xmlns="${space.content.firstChild.namespaceURI}" viewBox="0 0 ${n(width)} ${n(height)}" width="${n(width)}" height="${n(height)}">\n` +
      `<title>${safe(document.title)}, ${safe(instant(endOf(state.step)))}</title>\n<rect width="100%" height="100%" fill="${ink.paper}"/>\n${parts.join('\n')}\n</svg>\n`,
  });
}

// save offers the network at the chosen time as an SVG file.
function save() {
  const c = vector(places.width, places.height);
  draw(c);
  const url = URL.createObjectURL(new Blob([c.svg()], {type: 'image/svg+xml'}));
  make('a', {href: url, download: `network-${state.step + 1}.svg`}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// legend explains what occurs in this run, and nothing else.
function legend() {
  const item = (w, text, paint) => {
    const canvas = make('canvas', {'aria-hidden': 'true'});
    canvas.style.width = w + 'px';
    paint(prepare(canvas, w, 18));
    return make('li', {}, canvas, text);
  };
  const items = [];
  if (run.busy) {
    const canvas = make('canvas', {'aria-hidden': 'true'});
    canvas.style.width = '110px';
    const c = prepare(canvas, 110, 18);
    ink.shades.forEach((s, i) => { c.fillStyle = s; c.fillRect(i / 64 * 110, 5, 110 / 64 + .5, 8); });
    items.push(make('li', {}, 'utilisation 0', canvas, '100 %'));
  }
  if (run.queue) for (const share of [1 / 9, 1]) {
    const r = Math.max(1.5, radius(run.queue.max * share));
    items.push(item(Math.ceil(2 * r + 2), share === 1 ? bytes(run.queue.max) + ', the longest' : 'queue of ' + bytes(run.queue.max * share), c => { c.fillStyle = ink.queue; c.beginPath(); c.arc(r + 1, 9, Math.min(r, 9), 0, 7); c.fill(); }));
  }
  if (recorded.paused) items.push(item(12, 'paused', c => pauseMark(c, {x: 6, y: 9}, 5)));
  if (recorded.drops) items.push(item(14, 'drops', c => dropMark(c, {x: 7, y: 9}, 4.5)));
  if (run.faults.some(f => f.links.length)) items.push(item(24, run.faults.every(f => f.down) ? 'link down' : 'link with a fault', c => { c.strokeStyle = ink.down; c.lineWidth = 1.6; c.setLineDash([4, 4]); c.beginPath(); c.moveTo(0, 9); c.lineTo(24, 9); c.stroke(); }));
  items.push(make('li', {}, 'half of a link: what the node at its end sends' + (places.lines ? '' : '; of a host: left sends, right receives')));
  if (run.seen.some(x => !x)) items.push(make('li', {}, recorded.ports ? 'some ports were not recorded' : 'ports were not recorded'));
  $('legend').replaceChildren(...items);
}

// hit finds what is at a point: {port}, or null.
function hit(x, y) {
  const {wire, cells} = places, s = state.step;
  let best = null, least = 12;
  for (let p = 0; p < ports; p++) {
    const w = wire[p >> 1];
    let d;
    if (w.cell) {
      const dx = x - w.cell.x, dy = y - w.cell.y;
      if (Math.abs(dx) > cells.w / 2 || Math.abs(dy) > cells.h / 2 || dx < 0 !== isHost(from(p))) continue;
      d = 0;
    } else {
      d = Infinity;
      for (let t = 0; t <= 1.001; t += .1) { const q = along(w, p, t); d = Math.min(d, Math.hypot(q.x - x, q.y - y)); }
    }
    d -= Math.min(6, radius(value(run.queue, p, s))); // long queues are easier to hit
    if (d < least) { least = d; best = p; }
  }
  return best;
}

// ---- Time -----------------------------------------------------------------------------------------------------------

// ticks draws an axis of times from a to b below y.
function ticks(c, a, b, width, y) {
  if (!(b > a)) return;
  const apart = 84 * (b - a) / width, power = 10 ** Math.floor(Math.log10(apart)), every = power * [1, 2, 5, 10].find(k => k * power >= apart);
  const [unit, name] = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']].find(([u]) => b >= u) || [1e-9, 'ns'];
  c.font = font(10.5);
  c.fillStyle = ink.soft;
  c.strokeStyle = ink.axis;
  c.lineWidth = 1;
  c.textBaseline = 'top';
  for (let k = Math.ceil(a / every - 1e-6); k * every <= b + 1e-6 * every; k++) {
    const x = (k * every - a) / (b - a) * width, text = `${Number((k * every / unit).toPrecision(6))} ${name}`, w = c.measureText(text).width;
    c.textAlign = x < w / 2 ? 'left' : x > width - w / 2 ? 'right' : 'center';
    c.fillText(text, x, y + 4);
    c.beginPath();
    c.moveTo(Math.min(width - .5, Math.round(x) + .5), y);
    c.lineTo(Math.min(width - .5, Math.round(x) + .5), y + 4);
    c.stroke();
  }
}

// timeline draws values over time: lines (and an area below the first), the faults, the chosen time, an axis.
function timeline(canvas, height, a, b, curves, note) {
  const width = canvas.clientWidth, c = prepare(canvas, width, height + 16), at = t => (t - a) / (b - a) * width, floor = height - 1;
  for (const f of run.faults) {
    c.fillStyle = ink.down;
    c.globalAlpha = .1;
    c.fillRect(at(f.at), 0, Math.max(1.5, at(f.until) - at(f.at)), height);
    c.globalAlpha = 1;
  }
  for (const {times, values, most, colour, area} of curves) {
    if (!(most > 0)) continue;
    c.beginPath();
    values.forEach((v, i) => {
      const y = floor - (floor - 3) * Math.min(1, v / most);
      if (!i) c.moveTo(at(times(i)), y); else c.lineTo(at(times(i)), y);
      c.lineTo(at(times(i + 1)), y);
    });
    c.strokeStyle = c.fillStyle = colour;
    c.lineWidth = 1.3;
    c.lineJoin = 'round';
    c.stroke();
    if (area) { c.lineTo(at(times(values.length)), floor); c.lineTo(at(times(0)), floor); c.globalAlpha = .22; c.fill(); c.globalAlpha = 1; }
  }
  c.strokeStyle = ink.grid;
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(0, floor + .5);
  c.lineTo(width, floor + .5);
  c.stroke();
  const x = Math.round(at((startOf(state.step) + endOf(state.step)) / 2)) + .5;
  c.strokeStyle = ink.text;
  c.beginPath();
  c.moveTo(x, 0);
  c.lineTo(x, height);
  c.stroke();
  if (note) note(c, at);
  ticks(c, a, b, width, height);
}

function strip() {
  const height = matchMedia('(max-width: 40rem)').matches ? 48 : 68;
  timeline($('strip'), height, run.from, run.end, [
    {times: startOf, values: total.queue, most: total.queue[total.peak] * 1.4, colour: ink.queue, area: true},
    {times: startOf, values: total.busy, most: 1.4, colour: ink.busy},
  ], (c, at) => {
    if (run.end === run.from) {
      c.font = font(11);
      c.textBaseline = 'top';
      c.textAlign = 'left';
      c.fillStyle = ink.soft;
      c.fillText('Nothing was recorded over time: see About this page.', 2, 2);
      return;
    }
    const w = Math.max(1.5, at(startOf(1)) - at(startOf(0)));
    for (let s = 0; s < steps; s++) {
      if (total.paused[s]) { c.fillStyle = ink.pause; c.fillRect(at(startOf(s)), height - 4, w, 3); }
      if (total.drops[s]) { c.fillStyle = ink.down; c.fillRect(at(startOf(s)), height - 9, w, 8); }
    }
    c.font = font(11);
    c.textBaseline = 'top';
    c.textAlign = 'left';
    c.lineJoin = 'round';
    let x = 2;
    for (const [text, colour] of [[`longest queue, to ${bytes(total.queue[total.peak])}`, ink.queue], ['mean utilisation, 0 to 100 %', ink.busy], [recorded.drops ? 'drops' : '', ink.down], [recorded.paused ? 'pauses' : '', ink.pause]]) {
      if (!text || x + 30 > c.canvas.clientWidth) continue;
      c.strokeStyle = ink.paper; c.lineWidth = 3; c.globalAlpha = .8; c.strokeText(text, x, 2); c.globalAlpha = 1;
      c.fillStyle = colour; c.fillText(text, x, 2);
      x += c.measureText(text).width + 14;
    }
  });
}

// chart adds a drawing of values over time to the detail; a click on it chooses the time.
const charts = [];
function chart(parent, title, most, a, b, curves) {
  const canvas = make('canvas', {role: 'img', 'aria-label': title + ', up to ' + most});
  canvas.addEventListener('click', e => go(stepOf(a + e.offsetX / canvas.clientWidth * (b - a))));
  parent.append(make('figure', {}, make('figcaption', {}, make('b', {}, ...[].concat(title)), make('span', {}, most)), canvas));
  charts.push(() => timeline(canvas, 72, a, b, curves));
}
const swatch = (colour, text) => { const s = make('span', {}, text); s.style.color = colour; return s; };

// ---- Lists and details ----------------------------------------------------------------------------------------------

function now() {
  const s = state.step, t = total, list = [
    ['time', instant(endOf(s)), faultsNow() || `of ${instant(run.end)}`],
    ['flows under way', run.under[s].toLocaleString('en'), `of ${run.allFlows.toLocaleString('en')}`],
    ['longest queue', run.queue ? bytes(t.queue[s]) : '–', t.where[s] < 0 ? '' : portName(t.where[s])],
    recorded.drops ? ['drops so far', t.lost[s].toLocaleString('en'), `of ${recorded.drops.toLocaleString('en')}`] : ['mean utilisation', run.busy ? percent(t.busy[s]) : '–', 'of all links'],
  ];
  $('now').replaceChildren(...list.map(([k, v, more]) => make('div', {}, make('dt', {}, k), make('dd', {}, v, make('small', {title: more, class: k === 'time' && faultsNow() ? 'broken' : ''}, more)))));
  $('clock').textContent = `step ${s + 1} of ${steps}, ${duration(run.step)} each`;
}
const faultsNow = () => run.faults.filter(f => f.at < endOf(state.step) && f.until > startOf(state.step)).map(f => f.text).join('; ');

// busiest lists ports, those with the longest queues first, then by utilisation.
function busiest(n) {
  const all = $('when').value === 'run', list = [];
  for (let p = 0; p < ports; p++) {
    if (!run.seen[p] || wanted && !wanted.has(p)) continue;
    const q = all ? run.queue ? run.queue.peaks[p] : 0 : value(run.queue, p, state.step), u = all ? run.busy ? run.busy.peaks[p] : 0 : value(run.busy, p, state.step);
    if (q > 0 || u > 0) list.push({p, q, u});
  }
  return list.sort((a, b) => b.q - a.q || b.u - a.u || a.p - b.p).slice(0, n);
}

function listPorts() {
  const list = busiest(8), head = make('li', {class: 'head', 'aria-hidden': 'true'}, make('span', {}, 'port'), make('span', {}, 'queue'), make('span', {}, 'util.'));
  $('ports').replaceChildren(head, ...list.map(({p, q, u}) => {
    const bar = make('i');
    bar.style.width = run.queue ? 100 * q / run.queue.max + '%' : 0;
    return make('li', {}, make('button', {'aria-pressed': String(p === state.port), 'data-port': p, onclick: () => choosePort(p)}, make('span', {}, portName(p)), make('span', {class: 'amount'}, bytes(q), bar), make('span', {}, percent(Math.min(1, u)))));
  }));
  if (!list.length) $('ports').append(make('li', {class: 'none'}, recorded.ports ? 'No port sends now.' : 'Ports were not recorded: see About this page.'));
}

// filtered lists the flows that the filter chooses.
function filtered() {
  const text = $('text').value.trim().toLowerCase().replace(/^#/, ''), kind = $('class').value, only = $('time').value === 'now';
  return run.flows.filter(f => (!text || String(f.id) === text || nodes[f.src].name.toLowerCase() === text || nodes[f.dst].name.toLowerCase() === text) && (kind === '' || f.class === Number(kind)) && (!only || under(f, state.step)));
}

const goodput = (f, step) => f.goodput && step - f.first < f.goodput.n && step >= f.first ? f.goodput.max * levels[f.goodput.at + step - f.first] / 255 : 0;

let most = 14; // flows in the list
function listFlows() {
  const list = filtered(), live = $('time').value === 'now';
  $('count').textContent = `${list.length.toLocaleString('en')} of ${run.flows.length.toLocaleString('en')}`;
  list.sort((a, b) => !b.slowdown - !a.slowdown || b.slowdown - a.slowdown || a.id - b.id);
  $('flows').replaceChildren(make('li', {class: 'head', 'aria-hidden': 'true'}, make('span', {}, 'flow'), make('span', {}, 'size'), make('span', {}, live ? 'goodput' : 'time'), make('span', {title: 'slowdown: completion time over that of the flow alone'}, 'slowd.')),
    ...list.slice(0, most).map(f => make('li', {}, make('button', {'aria-pressed': String(byId.get(f.id) === state.flow), 'data-flow': f.id, onclick: () => chooseFlow(byId.get(f.id))},
      make('span', {}, `${f.id}  ${nodes[f.src].name} → ${nodes[f.dst].name}`), make('span', {}, bytes(f.size)), make('span', {}, live ? rate(goodput(f, state.step)) : duration(f.end - f.start)), make('span', {}, f.slowdown ? digits(f.slowdown) : '–')))));
  if (list.length > most) $('flows').append(make('li', {class: 'none'}, make('button', {onclick: () => { most += 100; listFlows(); }}, `and ${(list.length - most).toLocaleString('en')} more, with less slowdown`)));
  if (!list.length) $('flows').append(make('li', {class: 'none'}, 'No flow matches.'));
}

// refilter finds the ports that stand out: those of the flows that a text or class chooses and that are under way.
function refilter() {
  wanted = null;
  if ($('text').value.trim() || $('class').value) {
    wanted = new Set();
    for (const f of filtered()) if (under(f, state.step)) for (const p of (pathAt(f, endOf(state.step)) || {ports: []}).ports) wanted.add(p);
  }
}

const closing = () => make('button', {'aria-label': 'Close', onclick: letGo}, '×');

// detail shows the chosen port or flow.
function detail() {
  const box = $('detail');
  charts.length = 0;
  box.hidden = state.port < 0 && state.flow < 0;
  if (state.port >= 0) portDetail(box, state.port);
  if (state.flow >= 0) flowDetail(box, run.flows[state.flow]);
}

function portDetail(box, p) {
  box.replaceChildren(make('div', {class: 'bar'}, make('h2', {}, portName(p)), closing()),
    make('p', {class: 'soft'}, `port ${from(p)}-${to(p)}, ${rate(links[p >> 1].rate)} `, make('button', {onclick: () => choosePort(p ^ 1)}, 'other way')));
  if (!run.seen[p]) { box.append(make('p', {}, 'This port was not recorded: see About this page.')); return; }
  const all = s => Array.from({length: steps}, (_, i) => value(s, p, i));
  const one = (s, title, most, colour, top) => s && s.peaks[p] > 0 && chart(box, title, most, run.from, run.end, [{times: startOf, values: all(s), most: top || s.peaks[p], colour, area: true}]);
  one(run.queue, 'queue', run.queue && 'longest ' + bytes(run.queue.peaks[p]), ink.queue);
  one(run.busy, 'utilisation', 'to 100 %', ink.busy, 1.04);
  one(run.paused, 'share of the time paused', 'to 100 %', ink.pause, 1.04);
  one(run.drops, 'drops', run.drops && plural(run.drops.sums[p], 'packet'), ink.down);
  one(run.marks, 'ECN marks', run.marks && plural(run.marks.sums[p], 'packet'), ink.second);
  const over = run.flows.filter(f => f.paths.some(q => q.ports.includes(p))), live = over.filter(f => under(f, state.step));
  box.append(make('p', {}, `${plural(over.length, 'flow')} ${run.single ? 'cross' + (over.length === 1 ? 'es' : '') : 'may cross'} it, ${live.length.toLocaleString('en')} now${live.length ? ':' : '.'}`),
    make('div', {class: 'hops'}, ...live.sort((a, b) => goodput(b, state.step) - goodput(a, state.step)).slice(0, 12).map(f => make('button', {onclick: () => chooseFlow(byId.get(f.id))}, `${f.id}  ${nodes[f.src].name} → ${nodes[f.dst].name}`))));
}

function flowDetail(box, f) {
  const path = pathAt(f, endOf(state.step)) || {ports: []}, hops = [];
  for (const p of path.ports) {
    if (run.single && !hops.length) hops.push(make('span', {}, nodes[from(p)].name));
    hops.push(make('button', {title: 'port ' + portName(p), onclick: () => choosePort(p)}, (run.single ? '→ ' : nodes[from(p)].name + ' → ') + nodes[to(p)].name));
    if (hops.length > 24) { hops.push(make('span', {}, '…')); break; }
  }
  const words = [bytes(f.size), run.classes[f.class], f.outcome === 'finished' ? `${duration(f.end - f.start)} from ${instant(f.start)}` : `${f.outcome}, from ${instant(f.start)}`];
  if (f.slowdown) words.push(`slowdown ${digits(f.slowdown)}`);
  if (f.again) words.push(`${plural(f.again, 'packet')} of ${f.packets.toLocaleString('en')} sent again`);
  if (f.timeouts) words.push(plural(f.timeouts, 'timeout'));
  box.replaceChildren(make('div', {class: 'bar'}, make('h2', {}, `Flow ${f.id}: ${nodes[f.src].name} → ${nodes[f.dst].name}`), closing()),
    make('p', {class: 'soft'}, words.join(', ')), make('div', {class: 'hops'}, ...hops));
  if (f.paths.length > 1) box.append(make('p', {class: 'soft'}, `The path has changed ${f.paths.length > 2 ? f.paths.length - 1 + ' times' : 'once'}: at ${f.paths.slice(1).map(p => instant(p.from)).join(', ')}.`));
  if (!hops.length) box.append(make('p', {class: 'soft'}, 'It has no path.'));
  if (f.first < 0) { box.append(make('p', {class: 'soft'}, 'No look fell into its time, or it was not recorded.')); return; }
  const times = i => Math.max(f.start, Math.min(f.end, startOf(f.first + i)));
  const two = (title, unit, list) => {
    const most = Math.max(...list.map(([, c]) => c ? c.max : 0));
    if (most > 0) chart(box, list.filter(([, c]) => c).map(([name, , colour], i) => swatch(colour, (i ? ', ' : '') + name)), 'to ' + unit(most), Math.max(run.from, f.start), f.end,
      list.filter(([, c]) => c).map(([, c, colour], i) => ({times, values: curve(c), most: most * 1.03, colour, area: i === 0})));
  };
  two('rate', rate, [['goodput', f.goodput, ink.busy], ['pacing rate', f.rate, ink.second]]);
  two('window', bytes, [['in flight', f.flight, ink.queue], ['window', f.window, ink.pause]]);
}

// ---- What the reader does -------------------------------------------------------------------------------------------

let drawn = 0; // when lists were drawn last; while it plays they change five times a second
function show(all = true) {
  refilter();
  draw();
  strip();
  now();
  $('slider').value = state.step;
  if (all || performance.now() - drawn > 200) {
    drawn = performance.now();
    listPorts();
    listFlows();
    if (all) detail();
  }
  for (const c of charts) c();
  $('slider').setAttribute('aria-valuetext', instant(endOf(state.step)));
}

function remember() {
  const part = [`t=${state.step}`];
  if (state.port >= 0) part.push(`port=${from(state.port)}-${to(state.port)}`);
  if (state.flow >= 0) part.push(`flow=${run.flows[state.flow].id}`);
  try { history.replaceState(null, '', '#' + part.join('&')); } catch (e) { /* in a frame of another origin */ }
}
function recall() {
  const q = new URLSearchParams(location.hash.slice(1));
  if (q.has('t')) state.step = Math.max(0, Math.min(steps - 1, Number(q.get('t')) || 0));
  if (q.has('port')) { const p = Array.from({length: ports}, (_, p) => p).find(p => `${from(p)}-${to(p)}` === q.get('port')); state.port = p === undefined ? -1 : p; }
  if (q.has('flow')) { const f = byId.get(Number(q.get('flow'))); state.flow = f === undefined ? -1 : f; }
  if (state.flow >= 0 && !q.has('t')) state.step = stepOf((run.flows[state.flow].start + run.flows[state.flow].end) / 2);
}

function go(step) {
  state.step = Math.max(0, Math.min(steps - 1, step));
  show();
  remember();
}
function choosePort(p) { state.port = p; state.flow = -1; go(state.step); }
function chooseFlow(i) {
  const f = run.flows[i];
  state.flow = i;
  state.port = -1;
  go(under(f, state.step) ? state.step : stepOf((f.start + f.end) / 2));
}
function letGo() { state.port = state.flow = -1; go(state.step); }

function play(on) {
  state.playing = on;
  $('play').textContent = on ? 'Stop' : 'Play';
  if (!on) { go(state.step); return; }
  if (state.step >= steps - 1) state.step = 0;
  let last = performance.now(), at = state.step;
  const frame = t => {
    if (!state.playing) return;
    at += Math.max(0, t - last) / 1000 * steps / 20 * Number($('speed').value); // a whole run takes 20 seconds
    last = t; // the first frame may have begun before
    const step = Math.min(steps - 1, Math.floor(at));
    if (step !== state.step) { state.step = step; show(false); }
    if (step >= steps - 1) play(false); else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

function keys(e) {
  const tag = e.target.tagName, typing = tag === 'INPUT' && e.target.type === 'search' || tag === 'SELECT';
  if (e.key === 'Escape') { e.target.blur(); letGo(); return; }
  if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
  const by = e.shiftKey ? 10 : 1;
  const act = {ArrowLeft: () => go(state.step - by), ArrowRight: () => go(state.step + by), Home: () => go(0), End: () => go(steps - 1), p: () => go(total.peak), f: () => $('text').focus(),
    ArrowUp: () => walk(-1), ArrowDown: () => walk(1)}[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  if (e.key === ' ' && tag !== 'BUTTON' && tag !== 'SUMMARY') { e.preventDefault(); play(!state.playing); return; }
  if (!act) return;
  e.preventDefault();
  if (state.playing) play(false);
  act();
}
// walk chooses the next port of the list, or the one before.
function walk(by) {
  const list = busiest(8).map(x => x.p), at = list.indexOf(state.port);
  if (list.length) choosePort(list[at < 0 ? 0 : (at + by + list.length) % list.length]);
}

const tip = make('div', {id: 'tip', hidden: true});
function point(e) {
  const p = e.pointerType === 'mouse' ? hit(e.offsetX, e.offsetY) : null;
  tip.hidden = p === null;
  if (p === null) return;
  const s = state.step, lines = [portName(p)];
  if (run.seen[p]) {
    lines.push(`utilisation ${percent(value(run.busy, p, s))}, queue ${bytes(value(run.queue, p, s))}`);
    if (level(run.paused, p, s)) lines.push(`paused for ${percent(value(run.paused, p, s))} of the step`);
    if (level(run.drops, p, s)) lines.push(plural(Math.round(value(run.drops, p, s)), 'drop'));
  } else lines.push('not recorded');
  tip.textContent = lines.join('\n');
  tip.style.left = Math.max(4, Math.min(document.documentElement.clientWidth - 250, e.pageX + 14)) + 'px';
  tip.style.top = e.pageY + 16 + 'px';
}

function fit() {
  const width = $('net').clientWidth;
  if (places && places.width === width) return;
  places = layout(width);
  legend();
  show();
}

// ---- Begin ----------------------------------------------------------------------------------------------------------

$('main').hidden = false;
document.body.append(tip);
readColours();
recall();
$('slider').max = steps - 1;
$('class').replaceChildren(make('option', {value: ''}, 'all classes'), ...run.classes.map((c, i) => make('option', {value: i}, c)));
$('class').hidden = new Set(run.flows.map(f => f.class)).size < 2;
$('notes').replaceChildren(...run.faults.map(f => make('li', {}, `${f.text} from ${instant(f.at)} to ${instant(f.until)}`)), ...run.notes.map(n => make('li', {}, n)));
$('again').textContent = run.again;
$('slider').addEventListener('input', e => { if (state.playing) play(false); go(Number(e.target.value)); });
$('play').addEventListener('click', () => play(!state.playing));
$('peak').addEventListener('click', () => { if (state.playing) play(false); go(total.peak); });
$('save').addEventListener('click', save);
for (const id of ['when', 'text', 'class', 'time']) $(id).addEventListener('input', () => show());
const seek = e => go(stepOf(run.from + e.offsetX / $('strip').clientWidth * (run.end - run.from)));
$('strip').addEventListener('pointerdown', seek);
$('strip').addEventListener('pointermove', e => { if (e.buttons) seek(e); });
$('net').addEventListener('click', e => { const p = hit(e.offsetX, e.offsetY); p === null ? letGo() : choosePort(p); });
$('net').addEventListener('pointermove', point);
$('net').addEventListener('pointerleave', () => { tip.hidden = true; });
document.addEventListener('keydown', keys);
addEventListener('hashchange', () => { recall(); show(); });
addEventListener('resize', fit);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); legend(); show(); });
fit();
document.documentElement.dataset.ready = 'true';
})();
