/** `npm run demo`: builds the page, serves it and prints its address. */
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { root, say } from "./tools.mjs";

const configFile = `${root}/www/vite.config.ts`;

/** Builds the package and then the page into www/dist. */
export async function buildPage() {
  await build();
  const vite = await import("vite");
  await vite.build({ configFile, logLevel: "warn" });
}

async function serve() {
  const { preview } = await import("vite");
  const server = await preview({ configFile, preview: { host: "127.0.0.1", port: Number(process.env.PORT ?? 4173) } });
  console.log(server.resolvedUrls?.local[0]);
  say("keepline: Ctrl+C stops it");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildPage();
  await serve();
}
