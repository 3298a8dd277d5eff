// Meshes of an arm in three.js, moved along with a posture.
import * as THREE from "three";
import { meshOf } from "./data.js";
import { colourOf } from "./colours.js";

const v = new THREE.Vector3();
const w = new THREE.Vector3();
const q = new THREE.Quaternion();
const X = new THREE.Vector3(1, 0, 0);
const LENGTH = 10; // a span's end from here on is a length plus this
const COILS = 7;

/** Return the material of a role; `colour` replaces that of the role. */
export function materialOf(roles, role, colour, opacity = 1) {
  const [plain, metalness, roughness, own] = roles[role];
  const alpha = own * opacity;
  return new THREE.MeshStandardMaterial({
    color: colour ?? plain,
    metalness: metalness * 0.6,
    roughness,
    transparent: alpha < 1,
    opacity: alpha,
    depthWrite: alpha > 0.5,
    side: alpha < 1 ? THREE.DoubleSide : THREE.FrontSide,
  });
}

/** Return a geometry from a packed mesh. */
export function geometryOf({ offset, normal, triangles }) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(offset), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(Float32Array.from(normal), 3));
  geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
  return geometry;
}

/** The solids of one run. */
export class Solids {
  constructor(scene, arm, run, number, posture) {
    this.run = run;
    this.arm = arm;
    this.posture = posture;
    this.group = new THREE.Group();
    this.items = [];
    const faint = number > 0 && scene.options.layout === "overlay" ? 0.62 : 1;
    arm.parts.forEach((part, index) => {
      for (const look of part.look) {
        const data = meshOf(scene.meshes[look.mesh]);
        const own = look.color && new THREE.Color().setRGB(...look.color.slice(0, 3), THREE.SRGBColorSpace);
        const plain = look.role === "link" ? scene.linkColours[number % scene.linkColours.length] : undefined;
        const mesh = new THREE.Mesh(
          geometryOf(data),
          materialOf(scene.roles, look.role, own ?? plain, faint * (look.color?.[3] ?? 1)),
        );
        if (look.role === "center") {
          mesh.material.depthTest = false;
          mesh.material.transparent = true;
          mesh.renderOrder = 5;
        }
        this.add(mesh, { part, index, data, role: look.role, bends: data.station.some(Boolean) });
      }
    });
    for (const strut of run.struts) {
      const mesh = new THREE.Mesh(shapeOf(strut), materialOf(scene.roles, strut.role, undefined, faint));
      this.add(mesh, { strut });
    }
  }

  add(mesh, what) {
    const clear = mesh.material.opacity < 1 && !what.part;
    mesh.castShadow = !clear;
    mesh.receiveShadow = !clear;
    mesh.frustumCulled = false;
    mesh.userData = { ...what, run: this.run };
    mesh.userData.plain = mesh.material.color.clone();
    this.group.add(mesh);
    this.items.push(mesh);
  }

  /** Move everything to the present posture. */
  update() {
    for (const mesh of this.items) {
      const { index, data, strut, bends } = mesh.userData;
      if (strut) this.placeStrut(mesh, strut);
      else if (bends) bent(mesh.geometry, data, this.posture.posed[index]);
      else {
        const { p, q: turn } = this.posture.posed[index][0];
        mesh.position.copy(p);
        mesh.quaternion.copy(turn);
      }
    }
  }

  placeStrut(mesh, strut) {
    const a = this.posture.points[strut.start];
    const b = this.posture.points[strut.end];
    w.subVectors(b, a);
    const whole = w.length();
    const [from, to] = strut.span.map((end) => (end >= LENGTH ? Math.min((end - LENGTH) / (whole || 1), 1) : end));
    mesh.position.copy(a).addScaledVector(w, from);
    if (whole > 0) mesh.quaternion.setFromUnitVectors(X, v.copy(w).normalize());
    if (strut.shape === "rod" || strut.shape === "coil") mesh.scale.x = Math.max(whole * (to - from), 1e-9);
  }

  /** Colour what bends by its values at a sample, or plainly. */
  colour(quantity, sample, share, range) {
    for (const mesh of this.items) {
      const { index, data, plain, bends } = mesh.userData;
      if (!bends) continue;
      const values = quantity && this.run.colours[quantity]?.[index];
      const geometry = mesh.geometry;
      if (!values) {
        if (mesh.material.vertexColors) {
          mesh.material.vertexColors = false;
          mesh.material.needsUpdate = true;
        }
        mesh.material.color.copy(quantity ? new THREE.Color("#8b93a0") : plain);
        continue;
      }
      if (!geometry.getAttribute("color")) {
        geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(data.offset.length), 3));
      }
      if (!mesh.material.vertexColors) {
        mesh.material.vertexColors = true;
        mesh.material.needsUpdate = true;
      }
      mesh.material.color.set("#ffffff");
      const next = Math.min(sample + 1, this.run.t.length - 1);
      const colours = geometry.getAttribute("color");
      values.at(sample, next, share, data.station).forEach((value, vertex) => {
        colourOf((value - range[0]) / (range[1] - range[0] || 1), colours.array, 3 * vertex);
      });
      colours.needsUpdate = true;
    }
  }
}

/** Bend a mesh over the stations of its part. */
function bent(geometry, data, poses) {
  const position = geometry.getAttribute("position");
  const normal = geometry.getAttribute("normal");
  for (let i = 0; i < data.station.length; i++) {
    const pose = poses[data.station[i]];
    v.fromArray(data.offset, 3 * i).applyQuaternion(pose.q).add(pose.p).toArray(position.array, 3 * i);
    v.fromArray(data.normal, 3 * i).applyQuaternion(pose.q).toArray(normal.array, 3 * i);
  }
  position.needsUpdate = true;
  normal.needsUpdate = true;
  geometry.boundingSphere = null;
}

class Helix extends THREE.Curve {
  constructor(radius) {
    super();
    this.radius = radius;
  }
  getPoint(s, out = new THREE.Vector3()) {
    const angle = 2 * Math.PI * COILS * s;
    return out.set(s, this.radius * Math.cos(angle), this.radius * Math.sin(angle));
  }
}

function shapeOf({ shape, radius }) {
  if (shape === "ball") return new THREE.SphereGeometry(radius, 24, 16);
  if (shape === "plate") return new THREE.BoxGeometry(0.02 * radius, 2 * radius, 2 * radius);
  if (shape === "coil") return new THREE.TubeGeometry(new Helix(radius), 24 * COILS, 0.16 * radius, 7);
  return new THREE.CylinderGeometry(radius, radius, 1, 20).rotateZ(-Math.PI / 2).translate(0.5, 0, 0);
}
