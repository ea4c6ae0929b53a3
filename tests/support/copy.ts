/** Further copies of the package, as if it were installed and loaded once more. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

type Package = typeof import("keepline");

const folders: string[] = [];
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A copy with an engine of its own. The entry points share theirs in a chunk, so a copy is one of all files. */
export async function freshCopy(): Promise<Package> {
  const folder = mkdtempSync(join(tmpdir(), "keepline-copy-"));
  folders.push(folder);
  const dist = dirname(fileURLToPath(import.meta.resolve("keepline")));
  cpSync(dist, folder, { recursive: true, filter: (path) => !/\.map$|types/.test(path) });
  const imports = { "#loader": "./loader/node.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", imports }));
  return import(pathToFileURL(join(folder, "index.js")).href);
}
