/** Pages without a bundler, and their workers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserName } from "../browsers/find.js";
import { open, POLICY, type Serving, served } from "./browsers.js";
import type { Project } from "./project.js";

/** A page's script: says on the page what a promise of a text gives. */
export const saying = (imports: string, promise: string) => `${imports}
const say = (title) => (text) => { document.body.textContent = text; document.title = title; };
${promise}.then(say("done"), (error) => say("failed")(String(error.stack) + error.cause));
`;

/** A page's script: says on the page what the suite says. */
export const page = (imports: string) => saying(`${imports}\nimport { suite } from "./suite.mjs";`, "suite(keepline)");

/** A page with a script. */
export const HTML = (script: string) =>
  `<!doctype html><meta charset="utf-8"><title>waiting</title><body></body><script type="module" src="/${script}"></script>`;

/** A page without a bundler, its script as given. */
export async function plainPage(
  browser: BrowserName,
  { folder }: Project,
  script: string,
  others: Record<string, string> = {},
  serving: Serving = {},
): Promise<string> {
  for (const [name, text] of Object.entries(others)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, "page.mjs"), script);
  writeFileSync(join(folder, "page.html"), HTML("page.mjs"));
  return open(browser, folder, "page.html", serving);
}

/** The package without a bundler. */
export const BROWSER = `import * as keepline from "/node_modules/keepline/dist/browser.js";`;

/** A worker that runs the suite and posts what it says. */
export const WORKER = `${BROWSER}
import { suite } from "/suite.mjs";
const tell = (client) => suite(keepline).then((text) => client.postMessage(text), (error) => client.postMessage(String(error.stack)));
self.addEventListener("message", ({ source, ports }) => tell(ports?.[0] ?? source ?? self));
`;

/** A page that asks a Web Worker. */
export const ASKING_WORKER = `const worker = new Worker("/worker.mjs", { type: "module" });
worker.onmessage = ({ data }) => { document.body.textContent = data; document.title = "done"; };
worker.postMessage("go");
`;

/** A page that asks a Service Worker. */
export const ASKING_SERVICE = `await navigator.serviceWorker.register("/worker.mjs", { type: "module" });
const { active } = await navigator.serviceWorker.ready;
const { port1, port2 } = new MessageChannel();
port1.onmessage = ({ data }) => { document.body.textContent = data; document.title = "done"; };
active.postMessage("go", [port2]);
`;

/** A page whose package comes from another origin, which the policy names. */
export function fromElsewhere(browser: BrowserName, project: Project): Promise<string> {
  return served(join(project.folder, "node_modules"), { shared: true }, (address) => {
    const policy = POLICY.replace("script-src", `connect-src ${address}; script-src ${address}`);
    const script = page(`import * as keepline from "${address}keepline/dist/browser.js";`);
    return plainPage(browser, project, script, {}, { policy });
  });
}
