/** Programs that run the suite in Node, Deno and Bun. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Project } from "./project.js";

const execute = promisify(execFile);

/** Runs a program of the project and gives what it prints. */
export async function program(
  project: Project,
  file: string,
  source: string,
  command: string,
  ...args: string[]
): Promise<string> {
  writeFileSync(join(project.folder, file), source);
  const { stdout } = await execute(command, [...args, file], { cwd: project.folder, maxBuffer: 1 << 26 });
  return stdout.trim();
}

/** The suite by import. */
export const MODULE = `import * as keepline from "keepline";
import { suite } from "./suite.mjs";
console.log(await suite(keepline));
`;

/** The suite by require. */
export const REQUIRE = `const keepline = require("keepline");
import("./suite.mjs").then(async ({ suite }) => console.log(await suite(keepline)));
`;
