// Reading the scene: base64, inflate, planes of bytes, differences over time.
import { unzlibSync } from "three/examples/jsm/libs/fflate.module.js";

const WIDTH = { f4: 4, u4: 4, i2: 2, u1: 1 };

/** Return the numbers of a packed array, row after row. */
export function unpacked({ kind, shape, low, scale, data }) {
  const text = atob(data);
  const zipped = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) zipped[i] = text.charCodeAt(i);
  const planes = unzlibSync(zipped);
  const width = WIDTH[kind];
  const count = planes.length / width;
  const row = shape.slice(1).reduce((a, b) => a * b, 1);
  const words = new Uint32Array(count);
  for (let byte = 0; byte < width; byte++) {
    for (let i = 0; i < count; i++) words[i] |= planes[byte * count + i] << (8 * byte);
  }
  const mask = width === 4 ? 0xffffffff : 2 ** (8 * width) - 1;
  for (let i = row; i < count; i++) words[i] = (words[i] + words[i - row]) & mask;
  if (kind === "u4") return words;
  if (kind === "f4") return new Float32Array(words.buffer);
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    values[i] = low + scale * words[i];
    if (Math.abs(values[i]) < 0.75 * scale) values[i] = 0; // what lies between two steps about zero is zero
  }
  return values;
}

/** Return the arrays of a mesh. */
export function meshOf(packed) {
  return {
    station: Uint16Array.from(unpacked(packed.station)),
    offset: unpacked(packed.offset),
    normal: unpacked(packed.normal),
    triangles: unpacked(packed.triangles),
  };
}

/** Stress all over a mesh, linear in the amplitudes of n modes. */
class ModalStress {
  constructor({ amplitudes, modal, largest }) {
    this.amplitudes = unpacked(amplitudes);
    this.modal = unpacked(modal); // of each entry of the tensor, each mode, all vertices
    [, this.modes] = amplitudes.shape;
    [, this.vertices] = modal.shape;
    this.range = [0, largest];
    this.entries = Array.from({ length: 6 }, () => new Float32Array(this.vertices));
  }

  /** Return von Mises' stress of all vertices between two samples. */
  at(i, j, share) {
    const { modes: n, vertices: count, entries } = this;
    entries.forEach((entry, row) => {
      entry.fill(0);
      for (let k = 0; k < n; k++) {
        const a = this.amplitudes[i * n + k];
        const amplitude = a + share * (this.amplitudes[j * n + k] - a);
        const start = (row * n + k) * count;
        for (let vertex = 0; vertex < count; vertex++) entry[vertex] += amplitude * this.modal[start + vertex];
      }
    });
    const [xx, yy, zz, xy, yz, zx] = entries;
    return xx.map((x, v) =>
      Math.sqrt(
        ((x - yy[v]) ** 2 + (yy[v] - zz[v]) ** 2 + (zz[v] - x) ** 2) / 2 + 3 * (xy[v] ** 2 + yz[v] ** 2 + zx[v] ** 2),
      ),
    );
  }
}

/** Values at the stations of a part, which its vertices have in common. */
class StationValues {
  constructor(packed) {
    this.values = unpacked(packed);
    [, this.stations] = packed.shape;
    this.range = [packed.low, packed.low + packed.scale * 255];
  }

  /** Return the values of vertices on these stations between two samples. */
  at(i, j, share, station) {
    const { values, stations: k } = this;
    return Float32Array.from(station, (n) => values[i * k + n] + share * (values[j * k + n] - values[i * k + n]));
  }
}

/** Return a run with its arrays unpacked. */
export function runOf(run) {
  const read = (list) => list.map((each) => each && unpacked(each));
  const colours = Object.fromEntries(
    Object.entries(run.colours).map(([name, list]) => [
      name,
      list.map((each) => each && (each.modal ? new ModalStress(each) : new StationValues(each))),
    ]),
  );
  return {
    ...run,
    t: unpacked(run.t),
    r: unpacked(run.r),
    q: unpacked(run.q),
    points: unpacked(run.points),
    beams: run.beams.map((beam) => ({
      rest: unpacked(beam.rest),
      shift: unpacked(beam.shift),
      turn: unpacked(beam.turn),
      stations: beam.shift.shape[1],
    })),
    colours,
    ranges: Object.fromEntries(
      Object.entries(colours).map(([name, list]) => {
        const known = list.filter(Boolean).map((one) => one.range);
        return [name, [Math.min(...known.map(([low]) => low)), Math.max(...known.map(([, high]) => high))]];
      }),
    ),
    forces: run.forces.map((force) => ({ ...force, values: unpacked(force.values) })),
    signals: { ...run.signals, values: read(run.signals.values) },
  };
}

/** Return the sample before a time and the share of the way to the next. */
export function sampleAt(t, time) {
  const last = t.length - 1;
  if (last < 1 || time <= t[0]) return [0, 0];
  if (time >= t[last]) return [last - 1, 1];
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle;
  }
  return [low, (time - t[low]) / (t[high] - t[low] || 1)];
}
