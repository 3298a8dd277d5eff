// The viewer: a page that plays motions of arms in space. `show(host, scene)` starts it.
import { Vector3 } from "three";
import { Chart } from "./chart.js";
import { digits, gradient, prefixed, quantity as written } from "./colours.js";
import { runOf, sampleAt } from "./data.js";
import { at as forceAt } from "./forces.js";
import { icons } from "./icons.js";
import { PAGE } from "./layout.js";
import { pictureOf, save } from "./picture.js";
import { Stage } from "./stage.js";

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const SHORTEST = 1; // seconds that a motion takes at least to be seen, and
const LONGEST = 60; // at most, at the first speed
const SECONDS_OF_MODE = 2;
const MOST_NUMBERS = 7;
const MOST_SIGNALS = 8;

/** Show a scene in an element; returns the viewer. */
export function show(host, scene) {
  return new Viewer(host, scene);
}

class Viewer {
  constructor(host, scene) {
    this.scene = scene;
    this.runs = scene.runs.map(runOf);
    this.modal = this.runs.every((run) => run.kind === "mode");
    this.still = this.runs.every((run) => run.t.length < 2);
    this.duration = this.modal ? 1 : Math.max(...this.runs.map((run) => run.t[run.t.length - 1]), 0);
    this.start = this.runs[0].start;
    this.time = 0;
    this.speed = 1;
    this.loop = true;
    this.playing = false;
    this.quantity = scene.options.color;
    host.classList.add("fb");
    host.innerHTML = PAGE;
    this.$ = (id) => host.querySelector(`#fb-${id}`);
    this.host = host;
    this.$("title").textContent = scene.title;
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.ranges = this.rangesOf();
    try {
      this.stage = new Stage(this.$("stage"), scene, this.runs);
    } catch (error) {
      this.$("stage").innerHTML = `<p class="fb-sorry">This browser shows no 3-D graphics (WebGL): ${String(error.message)}</p>`;
    }
    this.chart = new Chart(this.$("chart"), this.$("chips"), (time) => this.seek(time - this.start));
    this.fill();
    this.listen();
    this.setTheme(this.dark);
    this.pickSignals();
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.stage?.view("start");
    this.seek(0);
    if (!this.still && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
    const tick = (now) => {
      this.tick(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  rangesOf() {
    const ranges = {};
    for (const run of this.runs) {
      for (const [name, [low, high]] of Object.entries(run.ranges)) {
        const known = ranges[name] ?? [Infinity, -Infinity];
        ranges[name] = [Math.min(known[0], low, 0), Math.max(known[1], high)];
      }
    }
    return ranges;
  }

  fill() {
    const { $, scene, runs } = this;
    const several = runs.length > 1;
    $("mode-row").hidden = !(several && this.modal);
    runs.forEach((run, i) => $("mode").add(new Option(run.label, i)));
    $("layout-row").hidden = !several || this.modal;
    $("layout").value = scene.options.layout === "single" ? "overlay" : scene.options.layout;
    $("quantity").add(new Option("nothing", ""));
    for (const name of Object.keys(this.ranges)) $("quantity").add(new Option(name, name));
    $("quantity").value = this.quantity && this.ranges[this.quantity] ? this.quantity : "";
    this.quantity = $("quantity").value || null;
    $("quantity").closest(".fb-row").hidden = !Object.keys(this.ranges).length;
    for (const speed of SPEEDS) $("speed").add(new Option(`${speed} ×`, speed));
    if (!this.modal && this.duration) {
      if (this.duration < SHORTEST) this.speed = SPEEDS.filter((each) => each <= this.duration / SHORTEST).pop() ?? SPEEDS[0];
      if (this.duration > LONGEST) this.speed = SPEEDS.find((each) => each >= this.duration / LONGEST) ?? SPEEDS[SPEEDS.length - 1];
    }
    $("speed").value = this.speed;
    $("factor").value = sliderOf(scene.options.exaggeration);
    if (this.still) host(this).classList.add("fb-still");
    const groups = [...new Set(runs.flatMap((run) => run.signals.groups))];
    for (const group of groups) $("group").add(new Option(group, group));
    if (!groups.length) host(this).classList.add("fb-plain");
    $("loop").classList.add("on");
    $("ground").checked = this.stage?.ground.visible ?? false;
    $("path").closest("label").hidden = !runs.some((run) => run.kind === "motion" && run.t.length > 1);
    $("follow").closest("label").hidden = this.still;
    $("forces").closest("label").hidden = !runs.some((run) => run.forces.length);
    for (const [unit, each] of Object.entries(this.stage?.scales ?? {})) {
      const sign = document.createElement("span");
      sign.style.color = scene.roles[unit === "N" ? "force" : "torque"][0];
      sign.textContent = `${unit === "N" ? "\u2192" : "\u21a0"} 1 m = ${written(each, unit)}`;
      $("scale").append(sign);
    }
    $("bar").style.background = gradient;
    if (several && !this.modal) {
      runs.forEach((run, i) => {
        const chip = document.createElement("button");
        chip.className = "fb-run";
        chip.innerHTML = "<i></i><span></span>";
        chip.firstChild.style.background = scene.linkColours[i % scene.linkColours.length];
        chip.lastChild.textContent = run.label;
        chip.title = "Show or hide";
        chip.onclick = () => {
          if (!this.stage) return;
          this.stage.shown[i] = !this.stage.shown[i];
          if (!this.stage.shown.includes(true)) this.stage.shown[i] = true;
          chip.classList.toggle("off", !this.stage.shown[i]);
          this.resize();
        };
        $("runs").append(chip);
      });
    }
    if (this.modal) this.pickMode(0);
    else if (!several) $("runs").textContent = runs[0].kind === "motion" ? runs[0].label : "";
    this.exaggerate(scene.options.exaggeration);
    this.legend();
  }

  listen() {
    const { $ } = this;
    $("play").onclick = () => this.play(!this.playing);
    $("loop").onclick = () => this.setLoop(!this.loop);
    $("scrub").oninput = (event) => {
      this.play(false);
      this.seek((event.target.value / 10000) * this.duration);
    };
    $("speed").onchange = (event) => (this.speed = Number(event.target.value));
    $("factor").oninput = (event) => this.exaggerate(factorOf(Number(event.target.value)));
    $("quantity").onchange = (event) => this.colour(event.target.value || null);
    $("layout").onchange = (event) => {
      if (this.stage) this.stage.layout = event.target.value;
      this.resize();
    };
    $("mode").onchange = (event) => this.pickMode(Number(event.target.value));
    $("group").onchange = () => this.showGroup($("group").value);
    for (const each of this.host.querySelectorAll("[data-view]")) each.onclick = () => this.stage?.view(each.dataset.view);
    $("home").onclick = () => this.stage?.view("start");
    $("follow").onchange = (event) => this.stage && (this.stage.follow = event.target.checked);
    $("path").onchange = (event) => this.showPath(event.target.checked);
    $("ground").onchange = (event) => this.showGround(event.target.checked);
    $("frames").onchange = (event) => this.stage?.showFrames(event.target.checked);
    $("forces").onchange = (event) => this.showForces(event.target.checked);
    $("picture").onclick = () => this.save();
    $("dark").onclick = () => this.setTheme(!this.dark);
    $("full").onclick = () => (document.fullscreenElement ? document.exitFullscreen() : this.host.requestFullscreen?.());
    $("options").onclick = () => this.host.classList.toggle("fb-open");
    $("help").onclick = () => ($("help-sheet").hidden = false);
    $("help-close").onclick = () => ($("help-sheet").hidden = true);
    $("help-sheet").onclick = (event) => event.target === $("help-sheet") && ($("help-sheet").hidden = true);
    window.addEventListener("keydown", (event) => this.key(event));
    const stage = $("stage");
    stage.addEventListener("pointermove", (event) => event.pointerType === "mouse" && !event.buttons && this.hover(event));
    stage.addEventListener("pointerdown", (event) => (this.pressed = [event.clientX, event.clientY]));
    stage.addEventListener("pointerup", (event) => {
      const still = this.pressed && Math.hypot(event.clientX - this.pressed[0], event.clientY - this.pressed[1]) < 6;
      if (still) this.hover(event);
      else this.hideTip();
    });
    stage.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hideTip());
    stage.addEventListener("wheel", () => this.hideTip(), { passive: true });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches?.("select, input:not([type=range]):not([type=checkbox])")) return;
    const step = (event.shiftKey ? 10 : 1) * (event.key === "ArrowLeft" ? -1 : 1);
    const views = { 1: "corner", 2: "front", 3: "side", 4: "top" };
    const actions = {
      " ": () => this.play(!this.playing),
      ArrowLeft: () => this.step(step),
      ArrowRight: () => this.step(step),
      ArrowUp: () => this.changeSpeed(1),
      ArrowDown: () => this.changeSpeed(-1),
      Home: () => this.seek(0),
      End: () => this.seek(this.duration),
      r: () => this.stage?.view("start"),
      f: () => this.$("follow").click(),
      p: () => this.$("path").click(),
      g: () => this.$("ground").click(),
      n: () => this.$("frames").click(),
      a: () => this.$("forces").click(),
      s: () => this.save(),
      l: () => this.setLoop(!this.loop),
      d: () => this.setTheme(!this.dark),
      o: () => this.host.classList.toggle("fb-open"),
      e: () => this.nudge(event.shiftKey ? -1 : 1),
      c: () => this.nextColour(),
      "?": () => (this.$("help-sheet").hidden = !this.$("help-sheet").hidden),
      Escape: () => (this.$("help-sheet").hidden = true),
    };
    const action = views[event.key] ? () => this.stage?.view(views[event.key]) : (actions[event.key] ?? actions[event.key.toLowerCase()]);
    if (!action) return;
    event.preventDefault();
    action();
  }

  nudge(sign) {
    const slider = this.$("factor");
    slider.value = Number(slider.value) + 5 * sign;
    this.exaggerate(factorOf(Number(slider.value)));
  }

  nextColour() {
    const select = this.$("quantity");
    select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    this.colour(select.value || null);
  }

  changeSpeed(by) {
    const at = Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1);
    this.speed = SPEEDS[at];
    this.$("speed").value = this.speed;
  }

  step(by) {
    this.play(false);
    const { t } = this.runs[0];
    const [i, s] = sampleAt(t, this.modal ? this.time : Math.min(this.time, t[t.length - 1]));
    this.seek(t[Math.min(Math.max(Math.round(i + s) + by, 0), t.length - 1)]);
  }

  play(on) {
    this.playing = on && !this.still;
    if (on && this.time >= this.duration - 1e-9) this.time = 0;
    this.$("play").innerHTML = this.playing ? icons.pause : icons.play;
    this.last = null;
  }

  setLoop(on) {
    this.loop = on;
    this.$("loop").classList.toggle("on", on);
  }

  tick(now) {
    if (this.playing) {
      const passed = this.last === null ? 0 : Math.min((now - this.last) / 1000, 0.1);
      this.last = now;
      const rate = this.modal ? this.speed / SECONDS_OF_MODE : this.speed;
      let time = this.time + rate * passed;
      if (time >= this.duration) {
        if (this.loop || this.modal) time = this.duration ? time % this.duration : 0;
        else {
          time = this.duration;
          this.play(false);
        }
      }
      this.seek(time);
    }
    this.stage?.render();
  }

  /** Go to a time since the start [s]. */
  seek(time) {
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.stage?.set(this.time, (run, at) => (run.kind === "mode" ? at % 1.0000001 : at), this.quantity, this.ranges);
    this.$("scrub").value = this.duration ? (10000 * this.time) / this.duration : 0;
    this.$("scrub").style.setProperty("--done", `${this.duration ? (100 * this.time) / this.duration : 0}%`);
    const decimals = this.duration < 0.1 ? 4 : this.duration < 20 ? 2 : 1;
    this.$("now").textContent = this.modal ? `${Math.round(360 * this.time)}°` : `${(this.time + this.start).toFixed(decimals)} s`;
    this.chart.move(this.time + this.start);
    if (this.told) this.tell();
  }

  exaggerate(factor) {
    this.factor = factor;
    this.$("factor-text").textContent = `× ${digits(factor)}`;
    this.$("factor").style.setProperty("--done", `${sliderOf(factor)}%`);
    this.stage?.exaggerate(factor);
    this.seek(this.time);
  }

  colour(name) {
    this.quantity = name;
    this.seek(this.time);
    this.legend();
  }

  legend() {
    const { $, quantity } = this;
    $("legend").classList.toggle("on", Boolean(quantity));
    if (!quantity) return;
    const [low, high] = this.ranges[quantity];
    const [factor, unit] = prefixed(Math.max(Math.abs(low), Math.abs(high)), this.scene.quantities[quantity]);
    $("low").textContent = digits(low / factor);
    $("high").textContent = `${digits(high / factor)} ${unit}`;
    $("what").textContent = quantity;
  }

  pickMode(number) {
    if (this.stage) this.stage.shown = this.runs.map((_, i) => i === number);
    this.$("mode").value = number;
    this.$("runs").textContent = this.runs[number].label;
    this.stage && (this.stage.dirty = true);
  }

  pickSignals() {
    // Axes have one unit: what is chosen makes a group of each.
    this.chosen = new Map();
    for (const name of this.scene.options.signals ?? []) {
      const run = this.runs.find(({ signals }) => signals.names.includes(name));
      const unit = run.signals.units[run.signals.names.indexOf(name)];
      this.chosen.set(unit, [...(this.chosen.get(unit) ?? []), name]);
    }
    for (const [unit, names] of [...this.chosen].reverse()) {
      const title = names.length > 2 ? `chosen signals [${unit}]` : names.join(", ");
      this.$("group").prepend(new Option(title, `\u0000${unit}`));
    }
    if (this.$("group").options.length) {
      this.$("group").selectedIndex = 0;
      this.showGroup(this.$("group").value);
    }
  }

  showGroup(group) {
    const names = group.startsWith("\u0000")
      ? this.chosen.get(group.slice(1))
      : [...new Set(this.runs.flatMap((run) => run.signals.names.filter((_, i) => run.signals.groups[i] === group)))].slice(0, MOST_SIGNALS);
    this.chart.show(this.runs, names);
  }

  showPath(on) {
    this.stage?.paths.forEach((path, i) => (path.whole.visible = path.past.visible = on && this.runs[i].kind === "motion"));
    if (this.stage) this.stage.dirty = true;
  }

  showGround(on) {
    if (!this.stage) return;
    this.stage.ground.visible = on;
    this.stage.dirty = true;
  }

  showForces(on) {
    this.stage?.showForces(on);
    this.$("scale")?.classList.toggle("on", on);
  }

  /** Save the view as a picture, with what lies over it. */
  save() {
    if (this.stage) save(pictureOf(this.stage, ["names", "scale", "legend", "cells"].map(this.$)), this.scene.title);
  }

  setTheme(dark) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.stage?.theme(dark);
    if (this.$("group").options.length && this.chart.plot) this.showGroup(this.$("group").value);
  }

  resize() {
    this.stage?.resize();
    this.chart.resize();
    const cells = this.$("cells");
    cells.replaceChildren();
    const views = this.stage?.views() ?? [];
    if (views.length > 1) {
      for (const view of views) {
        const label = document.createElement("span");
        label.textContent = this.runs[view.run].label;
        label.style.left = `${view.x + view.width / 2}px`;
        label.style.top = `${view.y + (view.y ? 12 : 62)}px`;
        cells.append(label);
      }
    }
  }

  hover(event) {
    const box = this.$("stage").getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const what = this.stage?.pick(x, y);
    if (!what) return this.hideTip();
    this.told = what;
    this.tell();
    const tip = this.$("tip");
    tip.classList.add("on");
    const right = x > box.width / 2;
    tip.style.left = right ? "" : `${x + 16}px`;
    tip.style.right = right ? `${this.host.clientWidth - x + 16}px` : "";
    tip.style.top = `${Math.min(Math.max(y - 20, 8), Math.max(8, this.host.clientHeight - tip.offsetHeight - 8))}px`;
  }

  /** Fill the tooltip: the block, its signals now, its parameters. */
  tell() {
    const { part, strut, fixture, force, run } = this.told;
    const what = part ?? strut ?? fixture ?? force;
    const rows = [];
    if (run && run.t.length > 1) {
      const [i, s] = sampleAt(run.t, Math.min(this.time, run.t[run.t.length - 1]));
      const j = Math.min(i + 1, run.t.length - 1);
      if (force) rows.push([force.unit === "N" ? "this force" : "this torque", written(forceAt(force.values, i, j, s, new Vector3()).length(), force.unit), "now"]);
      run.signals.names.forEach((name, n) => {
        const plain = name.replace(/^der\((.*)\)$/, "$1");
        if (rows.length >= MOST_NUMBERS || !plain.startsWith(`${what.name}.`)) return;
        const values = run.signals.values[n];
        const short = name.replace(`${what.name}.`, "");
        rows.push([short, written(values[i] + s * (values[j] - values[i]), run.signals.units[n]), "now"]);
      });
    }
    for (const [name, value] of what.numbers ?? []) rows.push([name.replaceAll("_", " "), value, ""]);
    const tip = this.$("tip");
    tip.replaceChildren();
    const head = document.createElement("h3");
    head.textContent = what.name;
    const kind = document.createElement("small");
    kind.textContent = fixture ? { obstacle: "kept out of", "keep-in": "kept inside", via: "" }[fixture.role] : what.kind;
    head.append(kind);
    if (this.runs.length > 1 && run && !this.modal) kind.textContent += ` · ${run.label}`;
    tip.append(head);
    const table = document.createElement("table");
    for (const [name, value, kindOf] of rows) {
      const row = table.insertRow();
      row.className = kindOf;
      row.insertCell().textContent = name;
      row.insertCell().textContent = value;
    }
    tip.append(table);
  }

  hideTip() {
    this.told = null;
    this.$("tip").classList.remove("on");
  }
}

const host = (viewer) => viewer.host;

// The slider: 0 at its left end, 1 at a quarter, then tenfold each three eighths.
function factorOf(slider) {
  if (slider <= 25) return Math.round((100 * slider) / 25) / 100;
  return Number((10 ** ((slider - 25) / 37.5)).toPrecision(3));
}

function sliderOf(factor) {
  return factor <= 1 ? 25 * factor : Math.min(100, 25 + 37.5 * Math.log10(factor));
}
