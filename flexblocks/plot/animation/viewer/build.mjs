// Bundles the viewer and the libraries in it into ../bundle: `npm ci && npm run build`.
// The same sources and versions (package-lock.json) give the same bytes; a test makes it again and compares.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = process.env.MODULES ?? join(here, "node_modules");
const out = process.argv[2] ?? join(here, "..", "bundle");
mkdirSync(out, { recursive: true });

const common = {
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "none",
  nodePaths: [modules],
};
for (const [entry, name, file] of [
  ["src/index.js", "flexblocksViewer", "viewer.js"],
  ["src/report.js", "flexblocksReport", "report.js"],
]) {
  const { outputFiles } = await build({
    ...common,
    entryPoints: [join(here, entry)],
    globalName: name,
    write: false,
    outfile: file,
  });
  for (const each of outputFiles.filter((f) => f.path.endsWith(".js"))) {
    // Inside a script element nothing may look like its end.
    writeFileSync(join(out, file), each.text.replaceAll("</script", "<\\/script"));
  }
}
for (const [sources, file] of [
  [["uplot.css", "src/theme.css", "src/viewer.css"], "viewer.css"],
  [["uplot.css", "src/theme.css", "src/report.css"], "report.css"],
]) {
  const text = sources
    .map((s) => readFileSync(s === "uplot.css" ? join(modules, "uplot/dist/uPlot.min.css") : join(here, s), "utf8"))
    .join("\n");
  const { code } = await (await import("esbuild")).transform(text, { loader: "css", minify: true });
  writeFileSync(join(out, file), code);
}
const licence = (name) => {
  const { version, license } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
  const text = readFileSync(join(modules, name, "LICENSE"), "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
};
const { version } = JSON.parse(readFileSync(join(modules, "esbuild", "package.json"), "utf8"));
writeFileSync(
  join(out, "LICENSES.txt"),
  `Libraries in this page, bundled with esbuild ${version}:\n\n${["three", "uplot"].map(licence).join("\n")}`,
);
