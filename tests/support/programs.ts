/** The programs of the documentation, run as a reader would. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./shared.js";

/** The blocks of a language in a file of the repository. */
export function blocksOf(path: string, language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...readFileSync(join(root, path), "utf8").matchAll(pattern)].map(([, block]) => block as string);
}

/** The one block of JavaScript of a kind. */
export function snippet(path: string, kind: string): string {
  const [block, ...others] = blocksOf(path, `js ${kind}`);
  if (block === undefined || others.length > 0) throw new Error(`${path} has not one block "js ${kind}"`);
  return block;
}

/** What a program prints. It stands where `import "keepline"` finds the package. */
export function output(program: string, name: string): string {
  const folder = join(root, ".build", "programs");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, program);
  return execFileSync(process.execPath, [file], { encoding: "utf8" });
}
