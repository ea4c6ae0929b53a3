/** Code that does what the page did, for a format, a runtime and the settings of the page. */
import type { Format, Settings } from "./formats/format.js";
import type { ModelChoice } from "./worker/protocol.js";

export const RUNTIMES = ["Node, Deno, Bun", "Browser (Vite)", "Cloudflare Workers"] as const;
export type Runtime = (typeof RUNTIMES)[number];

/** How a runtime gets at the module. */
const LOADING: Record<Runtime, [imports: string, call: string]> = {
  "Node, Deno, Bun": ["", ""],
  "Browser (Vite)": ['import wasm from "keepline/core.wasm?url";\n', "await init(fetch(wasm));\n"],
  "Cloudflare Workers": ['import wasm from "keepline/core.wasm";\n', "await init(wasm);\n"],
};

const ENDPOINT = (url: string, model: string) => `
/** The System One wire. */
async function decisionModel({ stateJson, questions }, { signal }) {
  const asked = Object.entries(questions).map(([name, { instructions }]) => [name, { type: "noul", instructions }]);
  const body = \`{"model":${JSON.stringify(model)},"state":\${stateJson},"questions":\${JSON.stringify(Object.fromEntries(asked))}}\`;
  const headers = { "content-type": "application/json", authorization: \`Bearer \${key}\` };
  const response = await fetch(${JSON.stringify(url)}, { method: "POST", headers, body, signal });
  if (!response.ok) throw Object.assign(new Error(\`HTTP \${response.status}\`), { status: response.status, headers: response.headers });
  return response.json();
}
`;

const OWN = `
/** Yours: a probability from 0 to 1 for each question. */
async function decisionModel({ stateJson, questions }, { signal }) {
  return { answers: Object.fromEntries(Object.keys(questions).map((name) => [name, 0.5])) };
}
`;

/** What the snippet asks, where that is not the local model. */
function modelCode(model: ModelChoice): string {
  if (model.kind === "local") return "";
  return model.kind === "endpoint" ? ENDPOINT(model.url || "https://…", model.model) : OWN;
}

/** The settings without what belongs to one history alone. */
function shownSettings({ eligible_tool_names, options }: Settings): string {
  const lines = [`eligible_tool_names: ${JSON.stringify(eligible_tool_names)},`];
  if (Object.keys(options).length > 0) lines.push(`options: ${JSON.stringify(options)},`);
  return lines.map((line) => `  ${line}`).join("\n");
}

/** The snippet. */
export function snippet(
  format: Pick<Format, "module" | "function">,
  runtime: Runtime,
  settings: Settings,
  model: ModelChoice,
): string {
  const [wasm, load] = LOADING[runtime];
  const isLocal = model.kind === "local";
  const names = [load && "init", isLocal && "localDecisionModel"].filter((name) => name) as string[];
  const isRoot = format.module === "keepline";
  const own = isRoot ? [format.function, ...names] : [format.function];
  const imports = [`import { ${own.sort().join(", ")} } from "${format.module}";\n`];
  if (!isRoot && names.length > 0) imports.push(`import { ${names.join(", ")} } from "keepline";\n`);
  const decider = isLocal ? `localDecisionModel({ point: "${model.point}" })` : "decisionModel";
  const common = `goal, // what the agent does next\n${shownSettings(settings)}`;
  const call = isRoot
    ? `await ${format.function}({\n  messages,\n  ${common}\n}, ${decider})`
    : `await ${format.function}(messages, {\n  ${common}\n}, ${decider})`;
  return `${imports.join("")}${wasm}${modelCode(model)}
${load}const result = ${call};
messages = result.messages; // archive the original first
`;
}
