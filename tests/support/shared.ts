/** Where the study's data lie: beside the repository, never in it. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** A program that an npm package brings. */
export const bin = (name: string) => join(root, "node_modules", ".bin", name);

/** The path of something in the shared folder, or undefined where there is no such folder. */
export function shared(path: string): string | undefined {
  const full = join(process.env.KEEPLINE_SHARED ?? join(root, "..", "shared"), path);
  return existsSync(full) ? full : undefined;
}
