/**
 * Builds the package into dist: the module, its glue, the JavaScript of each entry point and the declarations.
 * Does its own set-up (npm ci, wasm target); does nothing when nothing changed.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { bin, newest, root, run, say } from "./tools.mjs";

const TARGET = "wasm32-unknown-unknown";
const dist = join(root, "pkg", "dist");
const work = join(root, ".build");

/** Installs what package-lock.json names, unless that is done. */
export function installPackages() {
  if (newest("node_modules/.package-lock.json") >= newest("package-lock.json")) return;
  say("keepline: installing npm packages (npm ci)");
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { quiet: true });
}

/** Adds the wasm target to the toolchain, unless it is there. */
export function installTarget() {
  const installed = run("rustup", ["target", "list", "--installed"], { quiet: true });
  if (installed.split("\n").includes(TARGET)) return;
  say(`keepline: adding the Rust target ${TARGET}`);
  run("rustup", ["target", "add", TARGET], { quiet: true });
}

/** Compiles the core and runs wasm-bindgen and wasm-opt over it. */
function buildModule() {
  installTarget();
  say("keepline: compiling the core to WebAssembly");
  // The module holds the paths of its sources; those of this machine are nobody's business and no build's own.
  const crates = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry", "src");
  const flags = JSON.stringify([`--remap-path-prefix=${crates}=crates`, `--remap-path-prefix=${root}=.`]);
  const config = `target.${TARGET}.rustflags=${flags}`;
  run("cargo", ["build", "--quiet", "--locked", "--release", "--lib", "--target", TARGET, "--config", config]);
  run("cargo", [
    "run",
    "--quiet",
    "--locked",
    "--release",
    "-p",
    "keepline-bindgen",
    "--",
    `target/${TARGET}/release/keepline.wasm`,
    ".build",
  ]);
  const features = [
    "--enable-bulk-memory",
    "--enable-reference-types",
    "--enable-multivalue",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-simd",
  ];
  run(bin("wasm-opt"), [...features, "-O3", ".build/glue_bg.wasm", "-o", "pkg/dist/keepline.wasm"]);
  writeFileSync(join(work, "glue.mjs"), wrapGlue(readFileSync(join(work, "glue.js"), "utf8")));
}

/**
 * Makes a function of the glue, so that each instance has its own: a trapped one can be dropped and replaced, and its late tasks
 * reach nobody else. What loads the module is left out; the entry points do that.
 */
function wrapGlue(glue) {
  const cut = (text, from, to) => {
    const start = text.indexOf(from);
    const end = text.indexOf(to);
    if (start < 0 || end < start)
      throw new Error(`wasm-bindgen's glue has changed: no ${JSON.stringify(from)} before ${JSON.stringify(to)}`);
    return text.slice(start + from.length, end);
  };
  const body = cut(glue, "let wasm_bindgen = (function(exports) {", "async function __wbg_load(");
  // Copying by character pays for short strings alone; an encoder takes a long one faster.
  const loop = "for (; offset < len; offset++) {";
  if (body.split(loop).length !== 2) throw new Error(`wasm-bindgen's glue has changed: no ${JSON.stringify(loop)}`);
  const withoutScript = `    ${body.slice(body.indexOf("/**")).replace(loop, "for (; len < 64 && offset < len; offset++) {")}`;
  return `/* Made by pkg/scripts/build.mjs from wasm-bindgen's output. */
export function instantiate(module, queueMicrotask) {
  const exports = {};
${withoutScript}
  const instance = new WebAssembly.Instance(module, __wbg_get_imports());
  __wbg_finalize_init(instance, module);
  exports.memory = wasm.memory;
  return exports;
}
`;
}

/** The message formats, each a sub-path of the package. */
const adapters = readdirSync(join(root, "pkg", "src", "adapters"))
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.slice(0, -".ts".length));

/** The functions for decision models, each a sub-path too; they need no engine. */
const models = readdirSync(join(root, "pkg", "src", "models"))
  .filter((name) => name.endsWith(".ts") && name !== "shared.ts")
  .map((name) => name.slice(0, -".ts".length));

/** The entry point of an adapter: the adapter, and how this runtime gets at the module. */
const adapterEntries = {
  name: "adapter entries",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^adapter:/ }, ({ path }) => ({ path: path.slice("adapter:".length), namespace: "adapter" }));
    onLoad({ filter: /.*/, namespace: "adapter" }, ({ path }) => ({
      contents: `import "./entry/node-loader.ts"; export * from "./adapters/${path}.ts";`,
      resolveDir: join(root, "pkg", "src"),
    }));
  },
};

/** Bundles the entry points and writes the declarations. What they share, the engine above all, is in chunks of its own. */
async function buildJavaScript() {
  const { build } = await import("esbuild");
  for (const name of readdirSync(dist)) if (/^chunk-.*\.js/.test(name)) rmSync(join(dist, name));
  await build({
    entryPoints: {
      node: join(root, "pkg", "src", "entry", "node.ts"),
      ...Object.fromEntries(adapters.map((name) => [name, `adapter:${name}`])),
      ...Object.fromEntries(models.map((name) => [`models/${name}`, join(root, "pkg", "src", "models", `${name}.ts`)])),
    },
    outdir: dist,
    bundle: true,
    splitting: true,
    plugins: [adapterEntries],
    format: "esm",
    platform: "neutral",
    target: "es2022",
    external: ["node:*"],
    alias: { "#glue": join(work, "glue.mjs") },
    sourcemap: true,
    logLevel: "warning",
  });
  run(bin("tsc"), ["-p", "pkg/tsconfig.json"]);
}

/** Builds what is older than its sources. */
export async function build() {
  installPackages();
  mkdirSync(dist, { recursive: true });
  mkdirSync(work, { recursive: true });
  const script = "pkg/scripts/build.mjs";
  if (
    newest("pkg/dist/keepline.wasm") <
    newest("src", "Cargo.toml", "Cargo.lock", "pkg/bindgen", "rust-toolchain.toml", script)
  )
    buildModule();
  if (
    newest("pkg/dist/node.js") <
    newest("pkg/src", "package.json", "pkg/package.json", "pkg/tsconfig.json", ".build/glue.mjs", script)
  )
    await buildJavaScript();
}

if (process.argv[1] === new URL(import.meta.url).pathname) await build();
