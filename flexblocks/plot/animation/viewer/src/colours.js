// Colours of values, and values in words.

// The upper two thirds of Viridis at nine places: its dark end vanishes on a dark background.
const MAP = [
  [49, 104, 142], [40, 124, 142], [33, 145, 140], [32, 164, 134], [53, 183, 121],
  [94, 201, 98], [144, 215, 67], [200, 224, 32], [253, 231, 37],
].map((c) => c.map((v) => v / 255));

/** Write the colour of a share from 0 to 1 into `out` at `at`, as linear light. */
export function colourOf(share, out, at) {
  const x = Math.min(Math.max(share, 0), 1) * (MAP.length - 1);
  const i = Math.min(Math.floor(x), MAP.length - 2);
  for (let c = 0; c < 3; c++) out[at + c] = (MAP[i][c] + (x - i) * (MAP[i + 1][c] - MAP[i][c])) ** 2.2;
}

/** Places from 0 to 1, each with its colour in CSS. */
export const gradientStops = MAP.map((c, i) => [i / (MAP.length - 1), `rgb(${c.map((v) => Math.round(255 * v))})`]);
export const gradient = `linear-gradient(90deg, ${gradientStops.map(([, colour]) => colour).join(",")})`;

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
const TAKE_PREFIX = new Set(["Pa", "N", "N m", "J", "W", "m", "m/s", "V", "A"]);

/** Return a number with four digits. */
export function digits(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

/** Return a prefix for values up to `size`: the factor to divide by, and the unit with it. */
export function prefixed(size, unit) {
  if (!TAKE_PREFIX.has(unit) || !(size > 0)) return [1, unit];
  const [factor, letter] = PREFIXES.find(([f]) => size >= f) ?? [1, ""];
  return [factor, letter + unit];
}

/** Return a value with its unit. */
export function quantity(value, unit) {
  if (unit === "1" || !unit) return digits(value);
  const [factor, name] = prefixed(Math.abs(value), unit);
  return `${digits(value / factor)} ${name}`;
}
