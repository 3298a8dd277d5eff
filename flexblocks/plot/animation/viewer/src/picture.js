// A picture of the view: what is drawn in space, with the names, scales and legends over it.
import { gradientStops } from "./colours.js";

/** Return a canvas with the view of a stage and the elements that lie over it, at the display's resolution. */
export function pictureOf(stage, overlays) {
  const ratio = window.devicePixelRatio || 1;
  const source = stage.drawn(ratio);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [source.width, source.height];
  const pen = canvas.getContext("2d");
  pen.drawImage(source, 0, 0);
  stage.resize();
  const box = stage.host.getBoundingClientRect();
  pen.scale(ratio, ratio);
  pen.translate(-box.left, -box.top);
  for (const element of overlays) paint(pen, element);
  return canvas;
}

/** Paint an element with its children: backgrounds and text. */
function paint(pen, element) {
  const style = getComputedStyle(element);
  if (style.display === "none") return;
  const { left, top, width, height } = element.getBoundingClientRect();
  const radius = Math.min(parseFloat(style.borderRadius) || 0, width / 2, height / 2);
  pen.beginPath();
  pen.roundRect(left, top, width, height, radius);
  pen.fillStyle = style.backgroundColor;
  if (style.backgroundImage !== "none") {
    pen.fillStyle = pen.createLinearGradient(left, 0, left + width, 0);
    for (const [share, colour] of gradientStops) pen.fillStyle.addColorStop(share, colour);
  }
  pen.fill();
  for (const child of element.childNodes) {
    if (child.nodeType === Node.ELEMENT_NODE) paint(pen, child);
    else if (child.nodeType === Node.TEXT_NODE && child.textContent.trim()) write(pen, child, style);
  }
}

function write(pen, text, style) {
  const range = document.createRange();
  range.selectNodeContents(text);
  const { left, top, height } = range.getBoundingClientRect();
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  pen.fillStyle = style.color;
  pen.textBaseline = "middle";
  pen.fillText(text.textContent.trim(), left, top + height / 2);
}

/** Let the browser save a canvas as a PNG file, named by a title. */
export function save(canvas, title) {
  const name = title.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|-+$/g, "") || "view";
  canvas.toBlob((blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${name}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }, "image/png");
}
