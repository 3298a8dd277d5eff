// Arrows of forces and torques at their points of action, as long as they are large.
import * as THREE from "three";
import { materialOf } from "./solids.js";

const LONGEST = 0.22; // of the longest arrow, of the scene's size
const THICK = 0.0032; // radius of shafts, of the scene's size
const HEAD = 7; // length of heads, in radii of shafts; of short arrows at most this share:
const MOST_OF_HEAD = 0.5;
const ROLES = { N: "force", "N m": "torque" };
const X = new THREE.Vector3(1, 0, 0);
const v = new THREE.Vector3();

/** Return by unit what a metre of an arrow stands for: a round number, so that the largest of all runs is in sight. */
export function scalesOf(runs, size) {
  const scales = {};
  for (const unit of Object.keys(ROLES)) {
    const largest = Math.max(0, ...runs.flatMap((run) => run.forces.filter((force) => force.unit === unit).map(largestOf)));
    if (largest > 0) scales[unit] = roundUp(largest / (LONGEST * size));
  }
  return scales;
}

function largestOf({ values }) {
  let square = 0;
  for (let i = 0; i < values.length; i += 3) square = Math.max(square, values[i] ** 2 + values[i + 1] ** 2 + values[i + 2] ** 2);
  return Math.sqrt(square);
}

function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((n) => n * power >= value * (1 - 1e-9));
}

/** The arrows of one run. */
export class Forces {
  constructor(scene, run, posture, size, scales) {
    this.posture = posture;
    this.scales = scales;
    this.radius = THICK * size;
    this.group = new THREE.Group();
    this.group.visible = false;
    this.items = [];
    const shaft = new THREE.CylinderGeometry(this.radius, this.radius, 1, 14).rotateZ(-Math.PI / 2).translate(0.5, 0, 0);
    const head = new THREE.ConeGeometry(2.6 * this.radius, 1, 18).rotateZ(-Math.PI / 2).translate(-0.5, 0, 0);
    this.arrows = run.forces.map((force) => {
      const material = materialOf(scene.roles, ROLES[force.unit]);
      Object.assign(material, { depthTest: false, depthWrite: false, transparent: true });
      const arrow = new THREE.Group();
      // Torques have two heads.
      const heads = (force.unit === "N m" ? [0, 1] : [0]).map(() => new THREE.Mesh(head, material));
      const parts = { force, arrow, shaft: new THREE.Mesh(shaft, material), heads, now: new THREE.Vector3() };
      for (const mesh of [parts.shaft, ...heads]) {
        mesh.renderOrder = 6; // through what is around them
        mesh.frustumCulled = false;
        mesh.userData = { force, run };
        arrow.add(mesh);
        this.items.push(mesh);
      }
      this.group.add(arrow);
      return parts;
    });
  }

  /** Move the arrows to the present posture, between two samples. */
  update(i, j, s) {
    for (const { force, arrow, shaft, heads, now } of this.arrows) {
      at(force.values, i, j, s, now);
      const length = now.length() / this.scales[force.unit];
      arrow.visible = length > 0.2 * this.radius;
      if (!arrow.visible) continue;
      arrow.position.copy(this.posture.points[force.point]);
      arrow.quaternion.setFromUnitVectors(X, v.copy(now).normalize());
      const tip = Math.min(HEAD * this.radius, (MOST_OF_HEAD * length) / heads.length);
      const width = tip / (HEAD * this.radius);
      heads.forEach((head, n) => {
        head.position.x = length - 0.8 * n * tip;
        head.scale.set(tip, width, width);
      });
      shaft.scale.set(length - tip, width, width);
    }
  }
}

/** Write the value of a force between two samples into `out`. */
export function at(values, i, j, s, out) {
  const [a, b] = [3 * i, 3 * j];
  return out.set(...[0, 1, 2].map((n) => values[a + n] + s * (values[b + n] - values[a + n])));
}
