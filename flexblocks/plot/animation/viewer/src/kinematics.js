// Poses of all stations of an arm at a time, with deflections exaggerated: what tracks.py does for films.
import { Quaternion, Vector3 } from "three";
import { sampleAt } from "./data.js";

const turn = new Quaternion();
const vector = new Vector3();
const axis = new Vector3();

/** Poses of the stations of one arm: positions and quaternions, part by part. */
export class Posture {
  constructor(arm, run) {
    this.arm = arm;
    this.run = run;
    let number = 0;
    this.beam = arm.parts.map((part) => (part.stations ? run.beams[number++] : null));
    const poses = () =>
      arm.parts.map((part) =>
        Array.from({ length: part.stations + 1 }, () => ({ p: new Vector3(), q: new Quaternion() })),
      );
    this.true = poses();
    this.posed = poses();
    this.points = run.places.map(() => new Vector3());
  }

  /** Move to a time since the start [s] with deflections times `factor`. */
  set(time, factor) {
    const { arm, run } = this;
    const [i, s] = sampleAt(run.t, time);
    const j = Math.min(i + 1, run.t.length - 1);
    const count = arm.parts.length;
    arm.parts.forEach((part, n) => {
      const was = this.true[n];
      const now = this.posed[n];
      read3(run.r, (i * count + n) * 3, (j * count + n) * 3, s, was[0].p);
      was[0].q.fromArray(run.q, (i * count + n) * 4);
      was[0].q.slerp(turn.fromArray(run.q, (j * count + n) * 4), s);
      now[0].p.copy(was[0].p);
      now[0].q.copy(was[0].q);
      if (part.parent >= 0) carry(this.true[part.parent][part.anchor], this.posed[part.parent][part.anchor], now[0]);
      if (this.beam[n]) {
        along(this.beam[n], i, j, s, 1, was);
        along(this.beam[n], i, j, s, factor, now);
      }
    });
    const points = run.places.length;
    run.places.forEach(([part, station], n) => {
      const point = this.points[n];
      read3(run.points, (i * points + n) * 3, (j * points + n) * 3, s, point);
      const moved = { p: point, q: turn.identity() };
      carry(this.true[part][station], this.posed[part][station], moved);
    });
  }
}

function read3(values, a, b, s, out) {
  out.set(
    values[a] + s * (values[b] - values[a]),
    values[a + 1] + s * (values[b + 1] - values[a + 1]),
    values[a + 2] + s * (values[b + 2] - values[a + 2]),
  );
}

const inverse = new Quaternion();
const moved = new Quaternion();

/** Take a pose along from where its carrier was to where it is now. */
function carry(was, now, pose) {
  inverse.copy(was.q).invert();
  moved.copy(now.q).multiply(inverse);
  pose.p.sub(was.p).applyQuaternion(moved).add(now.p);
  pose.q.premultiply(moved);
}

const bend = new Quaternion();

/** Set the stations of a beam from its root. */
function along(beam, i, j, s, factor, poses) {
  const k = beam.stations;
  const rest = beam.rest[i] + s * (beam.rest[j] - beam.rest[i]);
  for (let n = 0; n < k; n++) {
    const { p, q } = poses[n + 1];
    read3(beam.shift, (i * k + n) * 3, (j * k + n) * 3, s, vector);
    vector.multiplyScalar(factor);
    vector.x += (rest * (n + 1)) / k;
    p.copy(vector).applyQuaternion(poses[0].q).add(poses[0].p);
    read3(beam.turn, (i * k + n) * 3, (j * k + n) * 3, s, axis);
    const angle = factor * axis.length();
    if (angle) bend.setFromAxisAngle(axis.normalize(), angle);
    else bend.identity();
    q.copy(poses[0].q).multiply(bend);
  }
}
