// The plots of a report: uPlot with shared cursors; drag to look closer, double click for all.
import uPlot from "uplot";
import { digits } from "./colours.js";
import { unpacked } from "./data.js";

const COLOURS = ["#2f7de1", "#d9622b", "#1f9d72", "#b06ec4", "#c79a12", "#3fa7d6", "#d6568f", "#6b7686"];
const HEIGHT = 250;

/** Draw all plots in the figures that stand for them. */
export function show(plots) {
  const made = [];
  for (const figure of document.querySelectorAll("[data-plot]")) made.push(draw(figure, plots[figure.dataset.plot], made));
  const fit = () => made.forEach((plot) => plot.setSize({ width: plot.root.parentElement.clientWidth, height: HEIGHT }));
  window.addEventListener("resize", fit);
}

function draw(figure, plot, made) {
  const caption = document.createElement("figcaption");
  caption.innerHTML = "<b></b> <span></span>";
  caption.firstChild.textContent = plot.title;
  caption.lastChild.textContent = plot.y && plot.y !== "1" ? `[${plot.y}]` : "";
  const chips = document.createElement("div");
  chips.className = "chips";
  const host = document.createElement("div");
  figure.append(caption, chips, host);
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--soft");
  const rule = style.getPropertyValue("--rule");
  const axis = { stroke: ink, grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1, size: 4 }, font: "11px system-ui, sans-serif", labelFont: "11px system-ui, sans-serif" };
  const scatter = plot.curves.every((curve) => curve.points);
  const curves = plot.curves.map((curve) => ({ ...curve, x: Array.from(unpacked(curve.x)), y: Array.from(unpacked(curve.y)) }));
  // Poles may share a real part, which join() would make one of.
  const data = curves.length === 1 ? [curves[0].x, curves[0].y] : uPlot.join(curves.map(({ x, y }) => [x, y]));
  const values = [];
  const u = new uPlot(
    {
      width: host.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { sync: { key: plot.group }, drag: { x: true, y: scatter, uni: 30 }, y: scatter },
      scales: { x: { time: false, distr: plot.log ? 3 : 1, ...(scatter ? { range: (s, low, high) => roomy(curves, low, high) } : {}) }, y: { range: (s, low, high) => ranged(low, high, plot.bounds) } },
      axes: [
        { ...axis, size: 40, label: plot.x, labelSize: 14, values: (s, ticks) => ticks.map((t) => (t === null ? "" : digits(t))) },
        { ...axis, size: 56, values: (s, ticks) => ticks.map(digits) },
      ],
      series: [
        {},
        ...curves.map((curve) => ({
          label: curve.label,
          stroke: COLOURS[curve.colour % COLOURS.length],
          width: curve.dashed ? 1.2 : 1.7,
          dash: curve.dashed ? [6, 4] : [],
          spanGaps: true,
          pxAlign: 0,
          ...(curve.points ? { paths: () => null, points: { show: true, size: 9, width: 2 } } : { points: { show: false } }),
        })),
      ],
      hooks: {
        draw: [(s) => bounds(s, plot.bounds)],
        setCursor: [(s) => curves.forEach((curve, i) => (values[i].textContent = s.cursor.idx === null ? "" : told(s, i + 1, s.cursor.idx)))],
      },
    },
    data,
    host,
  );
  curves.forEach((curve, i) => {
    const chip = document.createElement("button");
    chip.className = "fb-chip";
    chip.innerHTML = "<i></i><span></span><b></b>";
    chip.firstChild.style.setProperty("--c", COLOURS[curve.colour % COLOURS.length]);
    chip.firstChild.classList.toggle("dashed", curve.dashed);
    chip.children[1].textContent = curve.label;
    values.push(chip.children[2]);
    chip.onclick = () => {
      const on = !u.series[i + 1].show;
      u.setSeries(i + 1, { show: on });
      chip.classList.toggle("off", !on);
    };
    chips.append(chip);
  });
  // What one plot shows, others of its group show too.
  u.group = plot.group;
  u.hooks.setScale = [
    (s, key) => {
      if (key !== "x" || show.busy) return;
      show.busy = true;
      const { min, max } = s.scales.x;
      for (const other of made) if (other !== s && other.group === s.group && !scatter) other.setScale("x", { min, max });
      show.busy = false;
    },
  ];
  return u;
}

function told(u, series, idx) {
  for (let at = idx; at >= 0 && at > idx - 40; at--) {
    const value = u.data[series][at];
    if (value !== null && value !== undefined) return digits(value);
  }
  return "";
}

function roomy([{ x, y }], low, high) {
  if (Math.min(...x) === Math.max(...x)) {
    const side = 0.1 * Math.max(...y.map(Math.abs)) || 1;
    return [x[0] - side, x[0] + side];
  }
  const room = 0.08 * (high - low || Math.abs(high) || 1);
  return [low - room, Math.max(high, 0) + room];
}

function ranged(low, high, limits) {
  if (low === null || high === null) return [0, 1];
  for (const [value] of limits) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const room = 0.08 * (high - low || Math.abs(high) || 1);
  return [low - room, high + room];
}

function bounds(u, limits) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.setLineDash([3 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.lineWidth = devicePixelRatio;
  ctx.globalAlpha = 0.8;
  for (const [value, colour] of limits) {
    const y = u.valToPos(value, "y", true);
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.strokeStyle = COLOURS[colour % COLOURS.length];
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}
