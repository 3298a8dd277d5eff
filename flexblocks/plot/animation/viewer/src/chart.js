// The plot of signals under the view, with a cursor at the present time.
import uPlot from "uplot";
import { digits, prefixed } from "./colours.js";
import { sampleAt } from "./data.js";

const COLOURS = ["#2f7de1", "#d9622b", "#1f9d72", "#b06ec4", "#c79a12", "#3fa7d6", "#d6568f", "#6b7686"];
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export class Chart {
  /** @param seek called with the time [s] that a pointer on the plot asks for. */
  constructor(host, legend, seek) {
    this.host = host;
    this.legend = legend;
    this.seek = seek;
    this.time = 0;
    this.cursor = document.createElement("div");
    this.cursor.className = "fb-cursor";
  }

  /** Show signals by name, of all these runs; more than one run gets dashes. */
  show(runs, names) {
    this.plot?.destroy();
    this.plot = null;
    this.legend.replaceChildren();
    this.lines = [];
    runs.forEach((run, r) => {
      for (const name of names) {
        const at = run.signals.names.indexOf(name);
        if (at >= 0) this.lines.push({ run, r, name, values: run.signals.values[at], unit: run.signals.units[at], colour: COLOURS[names.indexOf(name) % COLOURS.length] });
      }
    });
    if (!this.lines.length) return;
    const largest = Math.max(...this.lines.map(({ values }) => values.reduce((m, v) => Math.max(m, Math.abs(v)), 0)));
    const [factor, unit] = prefixed(largest, this.lines[0].unit);
    this.factor = factor;
    const tables = this.lines.map(({ run, values }) => [Array.from(run.t, (t) => t + run.start), Array.from(values, (v) => v / factor)]);
    const data = uPlot.join(tables);
    const style = getComputedStyle(this.host);
    const ink = style.getPropertyValue("--soft");
    const rule = style.getPropertyValue("--rule");
    const axis = { stroke: ink, grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1, size: 4 }, font: "11px system-ui, sans-serif", labelFont: "11px system-ui, sans-serif" };
    const limits = this.limits(factor);
    this.plot = new uPlot(
      {
        ...this.space(),
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 6 }, y: false },
        scales: { x: { time: false }, y: { range: (u, low, high) => padded(low, high, limits) } },
        axes: [
          { ...axis, size: 26, values: (u, ticks) => ticks.map((t) => `${digits(t)} s`) },
          { ...axis, size: 54, label: unit === "1" ? "" : unit, labelSize: 16, values: (u, ticks) => ticks.map(digits) },
        ],
        series: [
          {},
          ...this.lines.map(({ name, r, colour }) => ({ label: name, stroke: colour, width: r ? 1.3 : 1.8, dash: DASHES[r % DASHES.length], spanGaps: true, pxAlign: 0, points: { show: false } })),
        ],
        hooks: { draw: [(u) => drawLimits(u, limits)], setSize: [() => this.move(this.time)] },
      },
      data,
      this.host,
    );
    this.plot.over.append(this.cursor);
    this.listen();
    this.lines.forEach((line, i) => {
      const chip = document.createElement("button");
      chip.className = "fb-chip";
      chip.title = "Show or hide";
      chip.innerHTML = `<i></i><span></span><b></b>`;
      chip.firstChild.style.setProperty("--c", line.colour);
      chip.firstChild.classList.toggle("dashed", line.r > 0);
      chip.children[1].textContent = runs.length > 1 ? `${line.name} · ${line.run.label}` : line.name;
      line.value = chip.children[2];
      chip.onclick = () => {
        const on = !this.plot.series[i + 1].show;
        this.plot.setSeries(i + 1, { show: on });
        chip.classList.toggle("off", !on);
      };
      this.legend.append(chip);
    });
    this.unit = unit === "1" ? "" : unit;
    this.move(this.time);
  }

  limits(factor) {
    const found = [];
    const told = new Set();
    for (const { run, name, colour } of this.lines) {
      for (const bound of run.signals.limits[name] ?? []) {
        if (bound !== null && !told.has(`${bound}`)) {
          told.add(`${bound}`);
          found.push({ value: bound / factor, colour });
        }
      }
    }
    return found;
  }

  listen() {
    const { over } = this.plot;
    const seek = (event) => {
      const box = over.getBoundingClientRect();
      this.seek(this.plot.posToVal(event.clientX - box.left, "x"));
    };
    over.style.touchAction = "none";
    over.onpointerdown = (event) => {
      over.setPointerCapture(event.pointerId);
      this.dragging = true;
      seek(event);
    };
    over.onpointermove = (event) => this.dragging && seek(event);
    over.onpointerup = over.onpointercancel = () => (this.dragging = false);
  }

  space() {
    return { width: Math.max(160, this.host.clientWidth), height: Math.max(80, this.host.clientHeight) };
  }

  resize() {
    this.plot?.setSize(this.space());
  }

  /** Move the cursor to a time [s]. */
  move(time) {
    this.time = time;
    if (!this.plot) return;
    const x = this.plot.valToPos(time, "x");
    this.cursor.style.transform = `translateX(${x}px)`;
    this.cursor.dataset.time = time;
    for (const { run, values, value } of this.lines) {
      const [i, s] = sampleAt(run.t, time - run.start);
      const j = Math.min(i + 1, values.length - 1);
      if (value) value.textContent = `${digits((values[i] + s * (values[j] - values[i])) / this.factor)} ${this.unit}`;
    }
  }
}

/** Return the range of the axis: of the curves, and of limits that are near. */
function padded(low, high, limits) {
  if (low === null || high === null) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high), 1e-12);
  for (const { value } of limits) {
    if (Math.abs(value) <= 1.6 * size) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  const room = 0.08 * (high - low || size);
  return [low - room, high + room];
}

function drawLimits(u, limits) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.setLineDash([3 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.lineWidth = devicePixelRatio;
  for (const { value, colour } of limits) {
    const y = u.valToPos(value, "y", true);
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.strokeStyle = colour;
    ctx.globalAlpha = 0.8;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}
