/**
 * `npm run bench [-- --sizes S,M,L,T --rounds 21]`: what a compaction costs beside `JSON.stringify` of the same messages, in one
 * run. Only ratios carry over to another machine.
 */
import { parseArgs } from "node:util";
import {
  applyDecisions,
  type CompactionRequest,
  compactContext,
  compactContextJson,
  localDecisionModel,
  type Message,
} from "keepline";
import { generate, PRESETS } from "../fixtures/gen-history.mjs";
import { scripted } from "../support/scripted.js";
import { brotli, moduleBytes, script } from "../support/sizes.js";
import { rounds } from "./rounds.js";

const { values } = parseArgs({
  options: { sizes: { type: "string", default: "S,M,L,T" }, rounds: { type: "string", default: "15" } },
});

const QUICK = { shareUnchanged: true, countChars: false } as const;

/** Called once a size, so that one size's heap does not slow the next one's baseline. */
async function bench(size: string): Promise<void> {
  const history = generate(PRESETS[size]);
  const request: CompactionRequest = {
    messages: history.messages as Message[],
    goal: history.goal,
    eligible_tool_names: history.eligible_tool_names,
  };
  const { messages } = request;
  const json = JSON.stringify(messages);
  const requestJson = JSON.stringify(request);
  const model = scripted(1);
  const local = localDecisionModel();
  const { decisions, stats } = await compactContext(request, model, QUICK);
  const nothing = { ...request, eligible_tool_names: ["no such tool"] };
  const operations = {
    "JSON.stringify (J)": () => JSON.stringify(messages),
    structuredClone: () => structuredClone(messages),
    "parse(stringify)": () => JSON.parse(JSON.stringify(messages)),
    "nothing to ask": () => compactContext(nothing, model, QUICK),
    "rules only (applyDecisions)": () => applyDecisions(request, decisions, QUICK),
    "scripted model": () => compactContext(request, model, QUICK),
    "scripted model, defaults": () => compactContext(request, model),
    "local model": () => compactContext(request, local, QUICK),
    "scripted model, from JSON text": () => compactContextJson(requestJson, model),
  };
  const times = await rounds(operations, Number(values.rounds));
  const unit = times["JSON.stringify (J)"];
  process.stdout.write(
    `\n${size}: ${(json.length / 1e6).toFixed(2)} M characters of JSON, ${decisions.length} pairs, ${stats.candidates} candidates, ` +
      `${stats.requests} requests, ${stats.windows} windows, stage ${stats.state_stage}\n`,
  );
  for (const [name, time] of Object.entries(times)) {
    process.stdout.write(
      `  ${name.padEnd(32)} ${time.toFixed(3).padStart(10)} ms ${(time / unit).toFixed(2).padStart(8)} J\n`,
    );
  }
}

async function sizes(): Promise<void> {
  const bytes = moduleBytes();
  process.stdout.write(`keepline.wasm: ${bytes.length} bytes, brotli ${brotli(bytes)}\n`);
  for (const entry of ["index", "inline", "openai-chat", "models/system-one"])
    process.stdout.write(`script of ${entry}, minified: brotli ${await script(entry)}\n`);
}

await sizes();
for (const size of values.sizes.split(",")) await bench(size);
