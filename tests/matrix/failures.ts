/** Places where the module cannot be loaded: what the error says to do there. */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BROWSER, plainPage, saying } from "./pages.js";
import type { Place } from "./places.js";
import { program } from "./programs.js";
import type { Project } from "./project.js";
import { workerd } from "./workerd.js";

/** Says why there is no module. */
const FAILING = `keepline.init().then(() => "loaded", ({ code, message }) => code + ": " + message)`;

const importing = (entry: string) => `import * as keepline from "${entry}";`;

const failing = (project: Project, entry: string) =>
  program(project, "failing.mjs", `${importing(entry)}\nconsole.log(await ${FAILING});`, process.execPath);

/** Runs something in a copy of the project whose package has lost its module. */
export async function without(project: Project, task: (project: Project) => Promise<string>): Promise<string> {
  const folder = `${project.folder}-lost`;
  cpSync(join(project.folder, "node_modules"), join(folder, "node_modules"), { recursive: true });
  rmSync(join(folder, "node_modules", "keepline", "dist", "keepline.wasm"));
  try {
    return await task({ ...project, folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The failures. */
export const failures: readonly Place[] = [
  {
    name: "Node, the file is missing",
    says: /^load_failed: .* install the package again; .* keep the package external .* keepline\/inline/,
    run: (project) => without(project, (lost) => failing(lost, "keepline")),
  },
  {
    name: "Node, keepline/slim without init(source)",
    says: /^load_failed: .* await init\(source\) first, .* keepline\/core\.wasm/,
    run: (project) => failing(project, "keepline/slim"),
  },
  {
    name: "workerd, keepline/inline",
    says: /^load_failed: .* in Cloudflare Workers, import keepline$/,
    run: (project) =>
      workerd(
        project,
        `${importing("keepline/inline")} export default { fetch: async () => new Response(await ${FAILING}) };`,
      ),
  },
  {
    name: "Chromium, the policy forbids it",
    says: /^load_failed: .* allow 'wasm-unsafe-eval' .* in the page's Content-Security-Policy/,
    run: (project) =>
      plainPage("chromium", project, saying(BROWSER, FAILING), {}, { policy: "default-src 'self'; script-src 'self'" }),
  },
  {
    name: "Chromium, the server has no such file",
    says: /^load_failed: .* serve it too/,
    run: (project) => plainPage("chromium", project, saying(BROWSER, FAILING), {}, { absent: /\.wasm$/ }),
  },
];
