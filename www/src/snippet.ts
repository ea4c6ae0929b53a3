/** Code that does what the page did, for a format, a runtime and the settings of the page. */
import type { Format, Settings } from "./formats/format.js";
import type { ModelChoice } from "./worker/protocol.js";

/** Where the code is to run. */
export const RUNTIMES = ["modules", "require", "bundled", "page", "workers", "next"] as const;
export type Runtime = (typeof RUNTIMES)[number];

/** What a snippet needs to know of a format. */
export type SnippetFormat = Pick<Format, "label" | "module" | "function">;

/** The formats of the package, for who wants the code of another one. */
export const SNIPPET_FORMATS: readonly SnippetFormat[] = [
  { label: "AgentScope", module: "keepline", function: "compactContext" },
  ...[
    ["OpenAI Chat Completions", "openai-chat"],
    ["OpenAI Responses", "openai-responses"],
    ["Anthropic Messages", "anthropic"],
    ["AI SDK", "ai-sdk"],
    ["LangChain.js", "langchain"],
    ["Google Gemini", "gemini"],
  ].map(([label = "", name = ""]) => ({ label, module: `keepline/${name}`, function: "compactMessages" })),
];

/** What is imported from where. */
type Imports = Map<string, string[]>;

const SYSTEM_ONE = "keepline/models/system-one";

const OWN = `
/** Yours: for each question a probability from 0 to 1 that the call, or its output, still matters. */
async function model({ stateJson, questions }, { signal }) {
  return { answers: Object.fromEntries(Object.keys(questions).map((name) => [name, 1])) };
}
`;

/** How the model is made in the call, and what stands before it. */
function modelCode(model: ModelChoice, key: string): { before: string; value: string; from?: [string, string] } {
  switch (model.kind) {
    case "local":
      return {
        before: "",
        value: `localDecisionModel({ point: "${model.point}" })`,
        from: ["keepline", "localDecisionModel"],
      };
    case "endpoint": {
      const fields = [
        `url: ${JSON.stringify(model.url || "https://…")}`,
        model.model !== "" && `model: ${JSON.stringify(model.model)}`,
        `apiKey: ${key}`,
        `limits: { maxQuestions: ${model.maxQuestions} }`,
      ].filter(Boolean);
      return { before: "", value: `systemOneModel({ ${fields.join(", ")} })`, from: [SYSTEM_ONE, "systemOneModel"] };
    }
    default:
      return { before: OWN, value: "model" };
  }
}

/** The settings without what belongs to one history alone. */
function settingsCode({ eligible_tool_names: tools, options }: Settings): string[] {
  const lines = ["goal, // what the agent does next", ...listCode("eligible_tool_names", tools)];
  if (Object.keys(options).length > 0) lines.push(`options: ${JSON.stringify(options)},`);
  return lines;
}

/** A list on one line, or where that is too long an item a line. */
function listCode(name: string, items: readonly string[]): string[] {
  const line = `${name}: [${items.map((item) => JSON.stringify(item)).join(", ")}],`;
  if (line.length <= 90) return [line];
  return [`${name}: [`, ...items.map((item) => `  ${JSON.stringify(item)},`), "],"];
}

/** The function that every runtime has in common. */
function functionCode(format: SnippetFormat, settings: Settings, model: string, isExported: boolean): string {
  const isRoot = format.module === "keepline";
  const [open, close] = isRoot ? ["{", "}"] : ["messages, {", "}"];
  const lines = [...(isRoot ? ["messages,"] : []), ...settingsCode(settings)];
  return `
/** A proposal: archive \`messages\` before you use what it gives in their place. */
${isExported ? "export " : ""}async function compact(messages, goal) {
  const result = await ${format.function}(${open}
${lines.map((line) => `    ${line}`).join("\n")}
  ${close}, ${model});
  return result.messages;
}
`;
}

const importCode = (imports: Imports) =>
  [...imports].map(([module, names]) => `import { ${[...names].sort().join(", ")} } from "${module}";`).join("\n");

const requireCode = (imports: Imports) =>
  [...imports].map(([module, names]) => `const { ${[...names].sort().join(", ")} } = require("${module}");`).join("\n");

/** Where the files of the package are for a page without a bundler. */
function importMap(imports: Imports): string {
  const dist = "/node_modules/keepline/dist";
  const files = [...imports.keys()].map((module) => {
    const file = module === "keepline" ? "index" : module.slice("keepline/".length);
    return [module, `${dist}/${file}.js`];
  });
  return JSON.stringify({ imports: Object.fromEntries([...files, ["#loader", `${dist}/loader/browser.js`]]) }, null, 2);
}

const HANDLER = `
export default {
  async fetch(request, env) {
    const { messages, goal } = await request.json();
    return Response.json(await compact(messages, goal, env));
  },
};
`;

const ROUTE = `
// next.config.mjs: export default { serverExternalPackages: ["keepline"] };
export async function POST(request) {
  const { messages, goal } = await request.json();
  return Response.json(await compact(messages, goal));
}
`;

/** Where a key comes from: never from the page. */
const KEYS: Record<Runtime, string> = {
  modules: "process.env.DECISION_API_KEY",
  require: "process.env.DECISION_API_KEY",
  bundled: '"" /* everybody can read a key in a page: use a proxy of yours */',
  page: '"" /* everybody can read a key in a page: use a proxy of yours */',
  workers: "env.DECISION_API_KEY",
  next: "process.env.DECISION_API_KEY",
};

/** The snippet. */
export function snippet(format: SnippetFormat, runtime: Runtime, settings: Settings, model: ModelChoice): string {
  const { before, value, from } = modelCode(model, KEYS[runtime]);
  const imports: Imports = new Map([[format.module, [format.function]]]);
  if (from) imports.set(from[0], [...(imports.get(from[0]) ?? []), from[1]]);
  const isExported = runtime === "modules" || runtime === "bundled";
  const body = before + functionCode(format, settings, value, isExported);
  switch (runtime) {
    case "require":
      return `${requireCode(imports)}\n${body}\nmodule.exports = { compact };\n`;
    case "page":
      return `<script type="importmap">\n${importMap(imports)}\n</script>\n<script type="module">\n${importCode(imports)}\n${body}</script>\n`;
    case "workers":
      return `${importCode(imports)}\n${body.replace("compact(messages, goal)", "compact(messages, goal, env)")}${HANDLER}`;
    case "next":
      return `${importCode(imports)}\n${body}${ROUTE}`;
    default:
      return `${importCode(imports)}\n${body}`;
  }
}
