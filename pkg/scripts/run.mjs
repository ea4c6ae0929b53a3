/** `run.mjs FILE ARGS…`: builds the package and runs a TypeScript file of the tests. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "./build.mjs";
import { root } from "./tools.mjs";

await build();
const [file, ...args] = process.argv.slice(2);
const done = spawnSync(process.execPath, ["--expose-gc", "--import", "tsx", join(root, file), ...args], {
  stdio: "inherit",
  cwd: process.env.INIT_CWD ?? process.cwd(),
});
process.exit(done.status ?? 1);
