/** The package as users get it: packed, and installed in a project of its own. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../support/shared.js";

/** A project with the packed package in its node_modules. */
export interface Project {
  folder: string;
  /** The packed package. */
  tarball: string;
  remove(): void;
}

/** Packs the package and installs it. */
export function project(): Project {
  const folder = mkdtempSync(join(tmpdir(), "keepline-matrix-"));
  const npm = (...args: string[]) => execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  npm("pack", join(root, "pkg"), "--silent");
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) as string;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "host", private: true, type: "module" }));
  npm("install", `./${tarball}`, "--no-audit", "--no-fund", "--legacy-peer-deps", "--offline");
  for (const name of ["suite.mjs", "history.mjs"])
    copyFileSync(join(root, "tests", "matrix", name), join(folder, name));
  return { folder, tarball: join(folder, tarball), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
