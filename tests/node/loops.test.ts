/** keepline inside the loops of agents, with the SDKs' own mock models: long runs stay under their limit. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { generateText, isStepCount, type ModelMessage, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import type { DecisionModel } from "keepline";
import { compactStep } from "keepline/ai-sdk";
import { z } from "zod";

const STEPS = 60;
/** Characters of messages at which the loop compacts. */
const LIMIT = 60_000;
const size = (messages: unknown) => JSON.stringify(messages).length;

/** Reads a file at every step, another task every ten, and says so; then ends. */
function model(seen: number[]): MockLanguageModelV4 {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  return new MockLanguageModelV4({
    doGenerate: (async ({ prompt }: { prompt: unknown[] }) => {
      seen.push(size(prompt));
      const step = seen.length;
      if (step === STEPS)
        return { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] };
      const topic = `subject${Math.floor(step / 10)}`;
      return {
        content: [
          { type: "text", text: `Now ${topic}: reading part ${step} of ${topic}_notes` },
          {
            type: "tool-call",
            toolCallId: `call${step}`,
            toolName: "read_file",
            input: JSON.stringify({ path: `${topic}/${step}.md` }),
          },
        ],
        finishReason: { unified: "tool-calls" },
        usage,
        warnings: [],
      };
    }) as never,
  });
}

const tools = {
  read_file: tool({
    description: "reads a file",
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) =>
      Array.from(
        { length: 60 },
        (_, line) => `${path} line ${line}: value_${path.replace(/\W/g, "_")}_${line} is ${line * 7919}`,
      ).join("\n"),
  }),
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
    trigger: ({ messages }: { messages: ModelMessage[] }) => size(messages) > LIMIT,
    onCompacted: (result: { messages: unknown }) => compactions.push(size(result.messages)),
  });

  it(`stays under its limit for ${STEPS} steps`, async () => {
    const [seen, compactions]: [number[], number[]] = [[], []];
    const { text, steps } = await generateText({
      model: model(seen),
      tools,
      stopWhen: isStepCount(STEPS + 1),
      prompt: "Read all notes, one part after the other.",
      prepareStep: compactStep(options(compactions)),
    });
    assert.equal(text, "done");
    assert.equal(steps.length, STEPS);
    const whole: number[] = [];
    await generateText({ model: model(whole), tools, stopWhen: isStepCount(STEPS + 1), prompt: "Read all notes." });
    assert.ok(Math.max(...whole) > 2.5 * LIMIT, `without it ${Math.max(...whole)}`);
    assert.ok(Math.max(...seen) < 1.2 * LIMIT, `with it ${Math.max(...seen)}`);
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
      assert.ok(size(sent) <= 1.2 * LIMIT, `${step}: ${size(sent)}`);
    }
    assert.ok(compactions.length < 20, `${compactions.length} compactions`);
    assert.ok(size(history) > 1.5 * LIMIT && size(sent) < LIMIT);
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
