/** What a host loads: the module and the minified script of each entry, in bytes after brotli 11. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";
import { root } from "./shared.js";

const dist = join(root, "pkg", "dist");

/** Bytes after brotli. */
export const brotli = (data: Uint8Array) =>
  brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

/** The minified script of an entry with everything that it loads. */
export async function script(entry: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [join(dist, `${entry}.js`)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "neutral",
    external: ["#loader", "*.wasm"],
    logLevel: "error",
  });
  return brotli(outputFiles[0]?.contents ?? new Uint8Array());
}

/** The module. */
export const moduleBytes = () => readFileSync(join(dist, "keepline.wasm"));
