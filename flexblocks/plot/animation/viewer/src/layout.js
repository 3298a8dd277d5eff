// The elements of the page.
import { icons } from "./icons.js";

export const HELP = [
  ["Space", "play or pause"],
  ["← →", "one sample back or on (with Shift ten)"],
  ["Home, End", "to the start, to the end"],
  ["↑ ↓", "faster, slower"],
  ["1 – 4", "view from the corner, front, side, top"],
  ["R", "first view"],
  ["F", "follow the tip"],
  ["E, Shift E", "exaggerate deflections more, less"],
  ["C", "colour by the next quantity"],
  ["P, G", "path of the tip, ground"],
  ["N, A", "frames with their names, arrows of forces"],
  ["S", "save the view as a picture (PNG)"],
  ["L", "repeat"],
  ["D", "dark or light"],
  ["Drag", "orbit; right button or two fingers: move; wheel or pinch: zoom"],
];

const button = (id, icon, title) => `<button id="fb-${id}" class="fb-icon" title="${title}" aria-label="${title}">${icons[icon]}</button>`;

export const PAGE = `
<div class="fb-stage" id="fb-stage" tabindex="0" aria-label="Three-dimensional view"><div class="fb-names" id="fb-names"></div><div class="fb-scale" id="fb-scale"></div></div>
<header class="fb-head">
  <div class="fb-titles"><h1 id="fb-title"></h1><div class="fb-runs" id="fb-runs"></div></div>
  <div class="fb-tools">${button("home", "home", "First view (R)")}${button("picture", "picture", "Save the view as a picture (S)")}${button("dark", "dark", "Dark or light (D)")}${button("full", "full", "Full screen")}${button("help", "help", "Keys (?)")}${button("options", "options", "Options (O)")}</div>
</header>
<div class="fb-cells" id="fb-cells"></div>
<aside class="fb-panel" id="fb-panel">
  <label class="fb-row" id="fb-mode-row"><span>Mode</span><select id="fb-mode"></select></label>
  <div class="fb-row fb-tall"><span>Deflections <output id="fb-factor-text">× 1</output></span><input id="fb-factor" type="range" min="0" max="100" step="0.5" aria-label="Factor on deflections"></div>
  <label class="fb-row"><span>Colour by</span><select id="fb-quantity"></select></label>
  <label class="fb-row" id="fb-layout-row"><span>Runs</span><select id="fb-layout"><option value="overlay">overlaid</option><option value="side by side">side by side</option></select></label>
  <div class="fb-row fb-views"><span>View</span><div class="fb-group"><button data-view="corner">Corner</button><button data-view="front">Front</button><button data-view="side">Side</button><button data-view="top">Top</button></div></div>
  <div class="fb-row fb-checks">
    <label title="Follow the tip (F)"><input type="checkbox" id="fb-follow">Follow tip</label>
    <label title="Path of the tip (P)"><input type="checkbox" id="fb-path" checked>Path of tip</label>
    <label title="Ground (G)"><input type="checkbox" id="fb-ground">Ground</label>
    <label title="Axes and names of frames: x red, y green, z blue (N)"><input type="checkbox" id="fb-frames">Frames</label>
    <label title="Arrows of forces and torques (A)"><input type="checkbox" id="fb-forces">Forces</label>
  </div>
</aside>
<div class="fb-legend" id="fb-legend"><div class="fb-bar" id="fb-bar"></div><div class="fb-ends"><span id="fb-low"></span><b id="fb-what"></b><span id="fb-high"></span></div></div>
<div class="fb-tip" id="fb-tip" role="tooltip"></div>
<section class="fb-bottom">
  <div class="fb-time">
    <button id="fb-play" class="fb-play" title="Play or pause (Space)" aria-label="Play or pause">${icons.play}</button>
    <output id="fb-now"></output>
    <input id="fb-scrub" type="range" min="0" max="10000" value="0" step="1" aria-label="Time">
    <select id="fb-speed" title="Speed" aria-label="Speed"></select>
    ${button("loop", "loop", "Repeat (L)")}
  </div>
  <div class="fb-signals" id="fb-signals">
    <div class="fb-pick"><select id="fb-group" aria-label="Signals"></select><div class="fb-chips" id="fb-chips"></div></div>
    <div class="fb-chart" id="fb-chart"></div>
  </div>
</section>
<div class="fb-help" id="fb-help-sheet" hidden><div><h2>Keys</h2><table>${HELP.map(([k, t]) => `<tr><td><kbd>${k}</kbd></td><td>${t}</td></tr>`).join("")}</table><button id="fb-help-close">Close</button></div></div>`;
