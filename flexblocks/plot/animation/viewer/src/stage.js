// The three-dimensional view: light, ground, camera, arms, path of the tip, picking.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { meshOf, sampleAt } from "./data.js";
import { Forces, scalesOf } from "./forces.js";
import { Frames, Names } from "./frames.js";
import { Posture } from "./kinematics.js";
import { Solids, geometryOf, materialOf } from "./solids.js";

const PANEL = 250; // pixels of the options
const MOST_OF_PATH = 600; // points of a path
const vec = (a) => new THREE.Vector3(...a);

export class Stage {
  constructor(host, scene, runs) {
    this.host = host;
    this.data = scene;
    this.runs = runs;
    this.up = vec(scene.up);
    this.low = vec(scene.low);
    this.high = vec(scene.high);
    this.size = Math.max(this.low.distanceTo(this.high), scene.arms[0].extent, 1e-9);
    this.middle = this.low.clone().add(this.high).multiplyScalar(0.5);
    this.shown = runs.map(() => true);
    this.layout = scene.options.layout;
    this.factor = scene.options.exaggeration;
    this.follow = false;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: false, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    host.append(this.renderer.domElement);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, this.size * 1e-3, this.size * 60);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.addLight();
    this.addGround();
    this.addRuns();
    this.addFixtures();
    this.addTriad();
    this.view("start");
  }

  addLight() {
    this.sky = new THREE.HemisphereLight(0xffffff, 0x8d97a8, 1.5);
    this.sky.position.copy(this.up);
    const eye = vec(this.data.view);
    const side = new THREE.Vector3().crossVectors(this.up, eye).normalize();
    if (!side.lengthSq()) side.set(1, 0, 0);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.3);
    const from = this.up.clone().multiplyScalar(1.0).addScaledVector(eye, 0.75).addScaledVector(side, -0.45).normalize();
    this.sun.position.copy(this.middle).addScaledVector(from, 2.2 * this.size);
    this.sun.target.position.copy(this.middle);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    const reach = 0.85 * this.size;
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.2 * this.size, far: 5 * this.size });
    this.sun.shadow.normalBias = this.size * 1e-3;
    this.sun.shadow.intensity = 0.45;
    const fill = new THREE.DirectionalLight(0xdfe8ff, 0.7);
    fill.position.copy(this.middle).addScaledVector(side, 2).addScaledVector(eye, 0.8);
    this.scene.add(this.sky, this.sun, this.sun.target, fill);
  }

  addGround() {
    const joint = this.data.arms[0].joint;
    const corners = [];
    for (const x of [this.low.x, this.high.x]) for (const y of [this.low.y, this.high.y]) for (const z of [this.low.z, this.high.z]) corners.push(new THREE.Vector3(x, y, z));
    const floor = Math.min(...corners.map((c) => c.dot(this.up))) - 2.6 * joint;
    this.ground = new THREE.Group();
    const reach = niceStep(this.size / 8);
    this.step = reach;
    this.grid = grid(reach, Math.ceil((1.6 * this.size) / reach));
    fade(this.grid.material, 0.9 * this.size, 1.5 * this.size);
    const shadow = new THREE.Mesh(new THREE.PlaneGeometry(6 * this.size, 6 * this.size), new THREE.ShadowMaterial({ opacity: 0.28, depthWrite: false }));
    shadow.rotateX(-Math.PI / 2);
    shadow.receiveShadow = true;
    shadow.renderOrder = -2;
    this.grid.renderOrder = -1;
    shadow.position.y = -1e-3 * joint;
    this.ground.add(this.grid, shadow);
    this.ground.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up);
    const foot = this.middle.clone().addScaledVector(this.up, floor - this.middle.dot(this.up));
    this.ground.position.copy(foot);
    this.ground.visible = vec(this.data.gravity).length() > 0 || this.data.arms[0].parts[0].look.length > 0;
    this.scene.add(this.ground);
  }

  addRuns() {
    this.postures = this.runs.map((run) => new Posture(this.data.arms[run.arm], run));
    this.solids = this.runs.map((run, i) => new Solids(this.data, this.data.arms[run.arm], run, i, this.postures[i]));
    this.scales = scalesOf(this.runs, this.size);
    this.forces = this.runs.map((run, i) => new Forces(this.data, run, this.postures[i], this.size, this.scales));
    this.frames = this.runs.map((run, i) => new Frames(run, this.postures[i], this.size));
    this.names = new Names(this.host.querySelector(".fb-names"));
    this.paths = this.runs.map((run, i) => {
      const line = (opacity, width) => {
        const material = new LineMaterial({ color: this.data.pathColours[i % this.data.pathColours.length], linewidth: width, transparent: true, opacity, depthWrite: false });
        const each = new Line2(new LineGeometry(), material);
        each.frustumCulled = false;
        each.visible = run.kind === "motion";
        return each;
      };
      const lines = { whole: line(0.25, 1.6), past: line(0.95, 2.6) };
      const group = new THREE.Group();
      group.add(this.solids[i].group, this.forces[i].group, this.frames[i].group, lines.whole, lines.past);
      this.scene.add(group);
      return { ...lines, group };
    });
    this.exaggerate(this.factor);
  }

  addFixtures() {
    this.fixtures = new THREE.Group();
    for (const fixture of this.data.fixtures) {
      const mesh = new THREE.Mesh(geometryOf(meshOf(this.data.meshes[fixture.mesh])), materialOf(this.data.roles, fixture.role));
      mesh.userData = { fixture };
      this.fixtures.add(mesh);
    }
    this.scene.add(this.fixtures);
  }

  addTriad() {
    this.triad = new THREE.Scene();
    this.triadCamera = new THREE.OrthographicCamera(-1.55, 1.55, 1.55, -1.55, 0.1, 10);
    this.triadCamera.up.copy(this.up);
    this.triad.add(new THREE.AmbientLight(0xffffff, 3));
    const arrow = (direction, colour, label, length = 1) => {
      const to = vec(direction).normalize();
      const material = new THREE.MeshBasicMaterial({ color: colour });
      const rod = new THREE.Mesh(new THREE.CylinderGeometry(0.035, 0.035, 0.78 * length, 12).translate(0, 0.39 * length, 0), material);
      const tip = new THREE.Mesh(new THREE.ConeGeometry(0.11, 0.26, 16).translate(0, 0.85 * length, 0), material);
      const each = new THREE.Group();
      each.add(rod, tip);
      each.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), to);
      const sign = letter(label, colour);
      sign.position.copy(to).multiplyScalar(1.22 * length);
      this.triad.add(each, sign);
    };
    arrow([1, 0, 0], "#e5484d", "x");
    arrow([0, 1, 0], "#30a46c", "y");
    arrow([0, 0, 1], "#3e7bfa", "z");
    if (vec(this.data.gravity).length() > 0) arrow(this.data.gravity, "#9a7b2f", "g", 0.85);
  }

  /** Multiply deflections by a factor. */
  exaggerate(factor) {
    this.factor = factor;
    this.runs.forEach((run, i) => {
      if (run.kind !== "motion") return;
      const posture = this.postures[i];
      const every = Math.max(1, Math.ceil(run.t.length / MOST_OF_PATH));
      const tip = this.data.arms[run.arm].tip;
      const points = [];
      const times = [];
      for (let k = 0; k < run.t.length; k += every) {
        posture.set(run.t[k], factor);
        const poses = posture.posed[tip];
        points.push(...poses[poses.length - 1].p.toArray());
        times.push(run.t[k]);
      }
      if (times.length < 2) return;
      for (const line of [this.paths[i].whole, this.paths[i].past]) {
        line.geometry.dispose();
        line.geometry = new LineGeometry();
        line.geometry.setPositions(points);
      }
      this.paths[i].times = Float32Array.from(times);
    });
    this.dirty = true;
  }

  /** Move all runs to a time since the start [s]. */
  set(time, timeOf, quantity, ranges) {
    const was = this.tip(this.lead);
    this.runs.forEach((run, i) => {
      const at = timeOf(run, time);
      this.postures[i].set(at, this.factor);
      this.solids[i].update();
      const [sample, share] = sampleAt(run.t, at);
      this.forces[i].update(sample, Math.min(sample + 1, run.t.length - 1), share);
      this.frames[i].update();
      this.solids[i].colour(run.kind === "motion" ? quantity : null, sample, share, ranges?.[quantity] ?? [0, 1]);
      const path = this.paths[i];
      if (path.times) {
        const done = sampleAt(path.times, at);
        path.past.geometry.instanceCount = Math.max(0, Math.round(done[0] + done[1]));
      }
    });
    if (this.follow && this.ready) {
      const step = this.tip(this.lead).sub(was);
      this.camera.position.add(step);
      this.controls.target.add(step);
    }
    this.ready = true;
    this.dirty = true;
  }

  showForces(on) {
    for (const each of this.forces) each.group.visible = on;
    this.dirty = true;
  }

  showFrames(on) {
    for (const each of this.frames) each.group.visible = on;
    if (!on) this.names.hide();
    this.dirty = true;
  }

  get lead() {
    return Math.max(0, this.shown.indexOf(true));
  }

  /** Return the place of the tip of a run. */
  tip(number) {
    const poses = this.postures[number].posed[this.data.arms[this.runs[number].arm].tip];
    return poses[poses.length - 1].p.clone();
  }

  /** Look from a standard direction, at all of the motion. */
  view(name) {
    const up = this.up;
    const right = Math.abs(up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    const ahead = new THREE.Vector3().crossVectors(up, right).normalize();
    right.crossVectors(ahead, up);
    const eye = {
      start: vec(this.data.view),
      front: ahead.clone().negate(),
      side: right.clone(),
      top: up.clone().addScaledVector(ahead, -1e-3),
      corner: up.clone().multiplyScalar(0.55).addScaledVector(ahead, -0.8).addScaledVector(right, 0.6),
    }[name].normalize();
    const across = new THREE.Vector3().crossVectors(up, eye).normalize();
    const above = new THREE.Vector3().crossVectors(eye, across);
    this.controls.target.copy(this.middle);
    // All corners of the box about the motion fit in the picture.
    const slopeY = Math.tan((this.camera.fov * Math.PI) / 360);
    const slopeX = slopeY * (this.aspect || 1.6) * (1 - (2 * (this.beside || 0)) / (this.host.clientWidth || 1));
    const margin = 5 * this.data.arms[0].joint;
    let distance = 0.6 * this.size;
    for (const x of [this.low.x, this.high.x]) for (const y of [this.low.y, this.high.y]) for (const z of [this.low.z, this.high.z]) {
      const corner = new THREE.Vector3(x, y, z).sub(this.middle);
      const near = corner.dot(eye);
      distance = Math.max(distance, near + (Math.abs(corner.dot(across)) + margin) / slopeX, near + (Math.abs(corner.dot(above)) + margin) / slopeY);
    }
    this.camera.position.copy(this.middle).addScaledVector(eye, 1.12 * distance);
    this.controls.update();
    this.dirty = true;
  }

  theme(dark) {
    this.scene.background = new THREE.Color(dark ? "#14181f" : "#f3f5f8");
    this.grid.material.color.set(dark ? "#5a6678" : "#8d99ab");
    this.grid.material.opacity = dark ? 0.42 : 0.5;
    this.sky.groundColor.set(dark ? "#3b4250" : "#a3adbd");
    this.dirty = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    const before = this.aspect;
    const [columns, rows] = this.cells();
    this.aspect = width / columns / (height / rows);
    this.camera.aspect = this.aspect;
    // Beside the panel of options there is less room: the picture's middle moves to the left.
    this.beside = width > 900 && columns * rows === 1 ? 0.5 * PANEL : 0;
    if (this.beside) this.camera.setViewOffset(width, height, this.beside, 0, width, height);
    else this.camera.clearViewOffset();
    this.camera.updateProjectionMatrix();
    if (!before || Math.abs(before - this.aspect) > 0.35) this.view("start");
    for (const path of this.paths) for (const line of [path.whole, path.past]) line.material.resolution.set(width / columns, height / rows);
    this.dirty = true;
  }

  /** Return columns and rows of views side by side. */
  cells() {
    const count = this.layout === "side by side" ? Math.max(1, this.shown.filter(Boolean).length) : 1;
    const columns = this.host.clientWidth < 1.1 * this.host.clientHeight ? Math.ceil(count / 2.2) : count;
    return [Math.min(columns, count), Math.ceil(count / Math.min(columns, count))];
  }

  /** Return for each view its run (null for all) and its rectangle in the host [px], from the top left. */
  views() {
    const { clientWidth: width, clientHeight: height } = this.host;
    const numbers = this.shown.flatMap((on, i) => (on ? [i] : []));
    const [columns, rows] = this.cells();
    if (columns * rows === 1) return [{ run: this.layout === "side by side" ? numbers[0] : null, x: 0, y: 0, width, height }];
    return numbers.map((run, n) => ({
      run,
      x: ((n % columns) * width) / columns,
      y: (Math.floor(n / columns) * height) / rows,
      width: width / columns,
      height: height / rows,
    }));
  }

  render() {
    this.controls.update();
    if (!this.dirty) return;
    this.dirty = false;
    const { renderer } = this;
    const { clientHeight: height } = this.host;
    renderer.setScissorTest(true);
    const views = this.views();
    if (this.frames[0].group.visible) this.names.show(views.map((view) => ({ ...view, items: this.frames[view.run ?? this.lead].items })), this.camera);
    for (const view of views) {
      this.paths.forEach(({ group }, i) => (group.visible = this.shown[i] && (view.run === null || view.run === i)));
      const bottom = height - view.y - view.height;
      renderer.setViewport(view.x, bottom, view.width, view.height);
      renderer.setScissor(view.x, bottom, view.width, view.height);
      renderer.render(this.scene, this.camera);
    }
    // Axes in the lower left corner.
    const corner = Math.min(112, 0.24 * height);
    renderer.setViewport(6, 6, corner, corner);
    renderer.setScissor(6, 6, corner, corner);
    renderer.autoClear = false;
    renderer.clearDepth();
    this.triadCamera.position.copy(this.camera.position).sub(this.controls.target).setLength(4);
    this.triadCamera.lookAt(0, 0, 0);
    renderer.render(this.triad, this.triadCamera);
    renderer.autoClear = true;
  }

  /** Return the canvas, drawn anew at a resolution [pixels of the picture per pixel of the page]. */
  drawn(ratio) {
    this.renderer.setPixelRatio(ratio);
    this.dirty = true;
    this.render();
    return this.renderer.domElement;
  }

  /** Return what is below a pointer, in pixels of the host: the data of its mesh, or null. */
  pick(x, y) {
    const view = this.views().find((v) => x >= v.x && x < v.x + v.width && y >= v.y && y < v.y + v.height);
    if (!view) return null;
    const at = new THREE.Vector2((2 * (x - view.x)) / view.width - 1, 1 - (2 * (y - view.y)) / view.height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    const inView = (each, i) => (this.shown[i] && (view.run === null || view.run === i) ? each.items : []);
    const meshes = this.solids.flatMap(inView);
    for (const mesh of meshes) mesh.updateMatrixWorld();
    // Arrows are seen through everything.
    const arrows = this.forces.flatMap((each, i) => (each.group.visible ? inView(each, i) : [])).filter((mesh) => mesh.parent.visible);
    for (const mesh of arrows) mesh.updateWorldMatrix(true, false);
    const [arrow] = ray.intersectObjects(arrows, false);
    if (arrow) return arrow.object.userData;
    const hits = ray.intersectObjects([...meshes, ...this.fixtures.children], false);
    const hit = hits.find((h) => !h.object.userData.fixture) ?? hits[0];
    return hit ? hit.object.userData : null;
  }
}

function niceStep(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  return power * ([1, 2, 5].filter((n) => n * power <= size).pop() ?? 1);
}

/** Return a grid of short lines: some renderers drop lines that begin behind the eye. */
function grid(step, count) {
  const points = [];
  for (let i = -count; i <= count; i++) {
    for (let j = -count; j < count; j++) {
      points.push(i * step, 0, j * step, i * step, 0, (j + 1) * step);
      points.push(j * step, 0, i * step, (j + 1) * step, 0, i * step);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ transparent: true, depthWrite: false }));
}

/** Let lines vanish with the distance from the middle of the ground. */
function fade(material, near, far) {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vGround;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvGround = position.xz;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vGround;")
      .replace("#include <opaque_fragment>", `diffuseColor.a *= 1.0 - smoothstep(${near.toExponential(6)}, ${far.toExponential(6)}, length(vGround));\n#include <opaque_fragment>`);
  };
}

function letter(text, colour) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d");
  pen.font = "600 46px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillStyle = colour;
  pen.fillText(text, 32, 34);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: texture, depthTest: false }));
  sprite.scale.setScalar(0.5);
  return sprite;
}
