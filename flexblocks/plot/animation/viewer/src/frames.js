// Axes and names of the frames of an arm.
import * as THREE from "three";

const LONG = 0.05; // axes, of the scene's size
const COLOURS = ["#e5484d", "#30a46c", "#3e7bfa"];
const GAP = 8; // pixels from a frame to its name

/** Return axes x, y, z from the origin: one geometry with a colour for each. */
function axes(length) {
  const radius = 0.04 * length;
  const parts = COLOURS.map((colour, n) => {
    const rod = new THREE.CylinderGeometry(radius, radius, length, 8).translate(0, length / 2, 0);
    if (n === 0) rod.rotateZ(-Math.PI / 2);
    if (n === 2) rod.rotateX(Math.PI / 2);
    return [rod.toNonIndexed(), new THREE.Color(colour)];
  });
  const position = parts.flatMap(([rod]) => Array.from(rod.getAttribute("position").array));
  const color = parts.flatMap(([rod, { r, g, b }]) => Array.from({ length: rod.getAttribute("position").count }, () => [r, g, b]).flat());
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(color, 3));
  return geometry;
}

/** The frames of one run. */
export class Frames {
  constructor(run, posture, size) {
    this.group = new THREE.Group();
    this.group.visible = false;
    const geometry = axes(LONG * size);
    const material = new THREE.MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
    this.items = run.frames.map(({ name, place: [part, station], r, q }) => {
      const mesh = new THREE.Mesh(geometry, material);
      mesh.renderOrder = 7; // through what is around them
      mesh.frustumCulled = false;
      this.group.add(mesh);
      return { name, mesh, carrier: posture.posed[part][station], r: new THREE.Vector3(...r), q: new THREE.Quaternion(...q) };
    });
  }

  update() {
    for (const { mesh, carrier, r, q } of this.items) {
      mesh.position.copy(r).applyQuaternion(carrier.q).add(carrier.p);
      mesh.quaternion.copy(carrier.q).multiply(q);
    }
  }
}

/** Names beside their frames, as elements of the page: below each other where they would cover each other. */
export class Names {
  constructor(host) {
    this.host = host;
    this.labels = new Map();
  }

  /** Write the names of frames, each list in its rectangle of the host [px], as a camera sees them. */
  show(views, camera) {
    const point = new THREE.Vector3();
    const used = new Set();
    views.forEach(({ items, x, y, width, height }, n) => {
      const taken = [];
      for (const { name, mesh } of items) {
        point.copy(mesh.position).project(camera);
        if (Math.abs(point.x) > 1 || Math.abs(point.y) > 1 || point.z > 1) continue;
        const label = this.label(`${n} ${name}`, name);
        used.add(label);
        const left = x + ((point.x + 1) / 2) * width + GAP;
        let top = y + ((1 - point.y) / 2) * height - label.height - GAP / 2;
        for (const other of taken) {
          const apart = left >= other.right || left + label.width <= other.left;
          if (!apart && top < other.bottom && top + label.height > other.top) top = other.bottom;
        }
        // One that was moved may cover what was passed before it: those are kept from the top down.
        taken.push({ left, right: left + label.width, top, bottom: top + label.height });
        taken.sort((a, b) => a.top - b.top);
        label.element.style.transform = `translate(${left}px, ${top}px)`;
      }
    });
    for (const label of this.labels.values()) label.element.hidden = !used.has(label);
  }

  hide() {
    for (const label of this.labels.values()) label.element.hidden = true;
  }

  label(key, name) {
    const known = this.labels.get(key);
    if (known) return known;
    const element = document.createElement("span");
    element.textContent = name;
    this.host.append(element);
    const label = { element, width: element.offsetWidth, height: element.offsetHeight };
    this.labels.set(key, label);
    return label;
  }
}
