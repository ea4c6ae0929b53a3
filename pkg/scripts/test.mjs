/**
 * `npm test`: sets everything up and runs every check, in the order in which they fail fastest.
 * Stops at the first that fails. Checks that need the study's data say so and are skipped where the data are not there.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build, installPackages, installTarget } from "./build.mjs";
import { buildPage } from "./demo.mjs";
import { bin, root, run, say } from "./tools.mjs";

const DENY = "-Dwarnings";
const started = performance.now();

async function step(name, task) {
  const start = performance.now();
  say(`keepline: ${name} …`);
  await task();
  say(`keepline: ${name}: ok (${((performance.now() - start) / 1000).toFixed(1)} s)`);
}

const cargo = (...args) => run("cargo", args);
const testsIn = (folder) =>
  readdirSync(join(root, "tests", folder))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join("tests", folder, name));

await step("set-up", () => {
  installPackages();
  installTarget();
});
await step("format of the Rust code", () => cargo("fmt", "--all", "--check"));
await step("lint of the Rust code", () => {
  cargo("clippy", "--quiet", "--locked", "--workspace", "--all-targets", "--", DENY);
  cargo("clippy", "--quiet", "--locked", "--lib", "--target", "wasm32-unknown-unknown", "--", DENY);
});
await step("Rust tests", () => cargo("test", "--quiet", "--locked", "--workspace"));
await step("documentation of the Rust code", () =>
  run("cargo", ["doc", "--quiet", "--locked", "--no-deps", "--document-private-items"], {
    env: { ...process.env, RUSTDOCFLAGS: DENY },
  }),
);
await step("build", build);
await step("format and lint of the TypeScript code", () => run(bin("biome"), ["ci", "--error-on-warnings"]));
await step("types", () => {
  run(bin("tsc"), ["-p", "tests/tsconfig.json"]);
  run(bin("tsc"), ["-p", "www/tsconfig.json"]);
});
await step("build of the page", buildPage);
await step("browsers", () => run(process.execPath, ["--import", "tsx", "tests/browsers/find.ts"]));
await step("tests in Node", () =>
  run(process.execPath, ["--expose-gc", "--import", "tsx", "--test", "--test-reporter=spec", ...testsIn("node")]),
);
await step("the packed package where it runs", () =>
  run(process.execPath, ["--import", "tsx", "tests/matrix/cli.ts", "--quick"]),
);
await step("tests of the page", () =>
  // One file after the other: they share two cores and measure time.
  run(process.execPath, [
    "--import",
    "tsx",
    "--test",
    "--test-concurrency=1",
    "--test-reporter=spec",
    ...testsIn("www"),
  ]),
);
say(`keepline: all checks passed in ${((performance.now() - started) / 1000).toFixed(0)} s`);
