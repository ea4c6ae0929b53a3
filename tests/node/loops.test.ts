/** keepline inside the loops of agents, with the SDKs' own mock models: long runs stay under their limit. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ModelMessage } from "ai";
import * as v7 from "ai";
import * as mocks7 from "ai/test";
import * as v5 from "ai-v5";
import * as mocks5 from "ai-v5/test";
import * as v6 from "ai-v6";
import * as mocks6 from "ai-v6/test";
import type { DecisionModel } from "keepline";
import { compactStep } from "keepline/ai-sdk";

const STEPS = 60;
/** Characters that the model takes. */
const LIMIT = 70_000;
/** Characters of messages at which the loop compacts: below the limit, and room for one more step. */
const HIGH_WATER = 60_000;
const size = (messages: unknown) => JSON.stringify(messages).length;

type Part = { type: string } & Record<string, unknown>;

/** Reads a file at every step, another task every ten, and says so; then ends. */
function partsOf(step: number): Part[] {
  if (step === STEPS) return [{ type: "text", text: "done" }];
  const topic = `subject${Math.floor(step / 10)}`;
  const input = JSON.stringify({ path: `${topic}/${step}.md` });
  return [
    { type: "text", text: `Now ${topic}: reading part ${step} of ${topic}_notes` },
    { type: "tool-call", toolCallId: `call${step}`, toolName: "read_file", input },
  ];
}

const streamed = (part: Part): Part[] =>
  part.type === "text"
    ? [
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: part.text },
        { type: "text-end", id: "t" },
      ]
    : [part];

/** What a mock model of the SDK answers, in the words of its version; `seen` gets the size of each prompt. */
function answers(seen: number[], version: 5 | 6 | 7) {
  const inTokens = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const usage = version === 5 ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 } : inTokens;
  const reason = (step: number) => (step === STEPS ? "stop" : "tool-calls");
  const next = (prompt: unknown) => {
    const step = seen.push(size(prompt));
    const finishReason = version === 5 ? reason(step) : { unified: reason(step) };
    return { content: partsOf(step), finishReason, usage };
  };
  return {
    doGenerate: async ({ prompt }: { prompt: unknown }) => ({ ...next(prompt), warnings: [] }),
    doStream: async ({ prompt }: { prompt: unknown }) => {
      const { content, ...finish } = next(prompt);
      const parts = [
        { type: "stream-start", warnings: [] },
        ...content.flatMap(streamed),
        { type: "finish", ...finish },
      ];
      return { stream: mocks7.convertArrayToReadableStream(parts) };
    },
    // The mocks of each version have types of their own.
  } as never;
}

/** What every loop gets. Each version has types of its own for the same words. */
function settings(version: typeof v5 | typeof v6 | typeof v7, model: unknown, prepareStep: unknown): never {
  const inputSchema = version.jsonSchema({ type: "object", properties: { path: { type: "string" } } });
  const read_file = {
    description: "reads a file",
    inputSchema,
    execute: async ({ path }: { path: string }) =>
      Array.from(
        { length: 60 },
        (_, line) => `${path} line ${line}: value_${path.replace(/\W/g, "_")}_${line} is ${line * 7919}`,
      ).join("\n"),
  };
  const stopWhen = version.stepCountIs(STEPS + 1);
  return { model, stopWhen, tools: { read_file }, ...(prepareStep !== undefined && { prepareStep }) } as never;
}

/** Runs a stream to its end. */
async function drained(stream: {
  text: PromiseLike<string>;
  steps: PromiseLike<readonly unknown[]>;
  consumeStream(): PromiseLike<void>;
}) {
  await stream.consumeStream();
  return { text: await stream.text, steps: (await stream.steps).length };
}

const counted = ({ text, steps }: { text: string; steps: readonly unknown[] }) => ({ text, steps: steps.length });

type Loop = (seen: number[], prepareStep?: unknown) => Promise<{ text: string; steps: number }>;

const prompt = "Read all notes, one part after the other.";
const with7 = (seen: number[], prepareStep?: unknown) =>
  settings(v7, new mocks7.MockLanguageModelV4(answers(seen, 7)), prepareStep);
const with6 = (seen: number[], prepareStep?: unknown) =>
  settings(v6, new mocks6.MockLanguageModelV3(answers(seen, 6)), prepareStep);
const with5 = (seen: number[], prepareStep?: unknown) =>
  settings(v5, new mocks5.MockLanguageModelV2(answers(seen, 5)), prepareStep);
const prompted = (settings: object) => ({ ...settings, prompt }) as never;

/** Every loop of the SDK, in every version. */
const LOOPS: Readonly<Record<string, Loop>> = {
  "generateText, version 7": async (...loop) => counted(await v7.generateText(prompted(with7(...loop)))),
  "streamText, version 7": async (...loop) => drained(v7.streamText(prompted(with7(...loop)))),
  "ToolLoopAgent, version 7": async (...loop) =>
    counted(await new v7.ToolLoopAgent(with7(...loop)).generate({ prompt })),
  "ToolLoopAgent streaming, version 7": async (...loop) =>
    drained(await new v7.ToolLoopAgent(with7(...loop)).stream({ prompt })),
  "generateText, version 6": async (...loop) => counted(await v6.generateText(prompted(with6(...loop)))),
  "ToolLoopAgent, version 6": async (...loop) =>
    counted(await new v6.ToolLoopAgent(with6(...loop)).generate({ prompt })),
  "streamText, version 6": async (...loop) => drained(v6.streamText(prompted(with6(...loop)))),
  "generateText, version 5": async (...loop) => counted(await v5.generateText(prompted(with5(...loop)))),
  "streamText, version 5": async (...loop) => drained(v5.streamText(prompted(with5(...loop)))),
};

/** A decision function of the host: what is asked about is old, and all notes are written down. */
const decide: DecisionModel = ({ questions }) => ({
  answers: Object.fromEntries(Object.keys(questions).map((name) => [name, 0.1])),
});

describe("in the loop of the AI SDK", () => {
  const options = (compactions: number[]) => ({
    model: decide,
    goal: "go on with the notes",
    eligible_tool_names: ["read_file"],
    options: { preserve_recent_messages: 6 },
    runtime: { protectCurrentTurn: "calls" as const },
    trigger: ({ messages }: { messages: ModelMessage[] }) => size(messages) > HIGH_WATER,
    onCompacted: (result: { messages: unknown }) => compactions.push(size(result.messages)),
  });

  for (const [name, loop] of Object.entries(LOOPS))
    it(`${name}: stays under its limit for ${STEPS} steps`, async () => {
      const [seen, compactions]: [number[], number[]] = [[], []];
      assert.deepEqual(await loop(seen, compactStep(options(compactions))), { text: "done", steps: STEPS });
      const whole: number[] = [];
      await loop(whole);
      assert.ok(Math.max(...whole) > 2.5 * LIMIT, `without it ${Math.max(...whole)}`);
      assert.ok(Math.max(...seen) < LIMIT, `with it ${Math.max(...seen)}`);
      assert.ok(compactions.length >= 3 && compactions.length < STEPS / 2, `${compactions.length} compactions`);
    });

  it("remembers what it compacted where every step gets the whole history again", async () => {
    const compactions: number[] = [];
    const prepare = compactStep(options(compactions));
    const history: ModelMessage[] = [{ role: "user", content: "Read all notes." }];
    let sent: ModelMessage[] = history;
    for (let step = 0; step < 40; step++) {
      const id = `c${step}`;
      const output = Array.from({ length: 80 }, (_, line) => `part ${step} line ${line}: token_${step}_${line}`).join(
        "\n",
      );
      history.push(
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: id, toolName: "read_file", input: { path: id } }],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: id, toolName: "read_file", output: { type: "text", value: output } },
          ],
        },
      );
      const messages = [...history];
      sent = (await prepare({ messages, stepNumber: step })).messages ?? messages;
      assert.ok(size(sent) <= LIMIT, `${step}: ${size(sent)}`);
    }
    assert.ok(compactions.length < 20, `${compactions.length} compactions`);
    assert.ok(size(history) > 1.5 * HIGH_WATER && size(sent) < LIMIT);
  });

  it("keeps runs of one agent apart", async () => {
    const compactions: number[] = [];
    const prepare = compactStep(options(compactions));
    const runs: number[][] = [[], [], []];
    const ends = await Promise.all(runs.map((seen) => LOOPS["ToolLoopAgent, version 6"]?.(seen, prepare)));
    assert.deepEqual(ends, Array(3).fill({ text: "done", steps: STEPS }));
    for (const seen of runs) assert.ok(Math.max(...seen) < LIMIT);
    assert.ok(compactions.length < (3 * STEPS) / 2, `${compactions.length} compactions`);
  });

  it("leaves the messages alone until the trigger says so, and after a failure if the host wants that", async () => {
    const messages: ModelMessage[] = [{ role: "user", content: "hello" }];
    const errors: unknown[] = [];
    const failing = {
      ...options([]),
      goal: "",
      trigger: () => true,
    };
    assert.deepEqual(await compactStep(options([]))({ messages, stepNumber: 0 }), {});
    await assert.rejects(compactStep(failing)({ messages, stepNumber: 0 }), { code: "invalid_request" });
    const going = compactStep({ ...failing, onError: (error) => errors.push(error) });
    assert.deepEqual(await going({ messages, stepNumber: 0 }), {});
    assert.equal(errors.length, 1);
  });
});
