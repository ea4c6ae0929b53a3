/** The sample sessions, in English and in Chinese: a scripted model, the local model, and a real provider where a key is given. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import {
  type CompactionRequest,
  type CompactionResult,
  compactContext,
  type DecisionModel,
  type DecisionResponse,
  localDecisionModel,
} from "keepline";
import { violations } from "../support/invariants.js";
import { answering } from "../support/scripted.js";

interface Expected {
  name: string;
  key_candidates: string[];
  irrelevant_calls: string[];
  protected_calls: string[];
  reasons: Record<string, string>;
  not_pairs: string[];
  answers: Record<string, { call: number; result: number }>;
  expected_actions: Record<string, string>;
}

const folder = new URL("../fixtures/scenarios/", import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(new URL(path, folder), "utf8"));

/** The blocks with an id, as JSON text. */
function blocksOf(messages: readonly { content: unknown }[], id: string): string {
  return JSON.stringify(
    messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter((block) => block.id === id) : [])),
  );
}

function texts(messages: readonly { role: string; content: unknown }[]): unknown[] {
  return messages.flatMap(({ role, content }) =>
    Array.isArray(content)
      ? content.flatMap((block) => (block.type === "text" ? [[role, block.text]] : []))
      : [[role, content]],
  );
}

/** A scripted model that answers by call id, and what it decides. */
async function scripted(input: CompactionRequest, { answers }: Expected): Promise<CompactionResult> {
  const open = await compactContext(
    input,
    answering(() => 1),
  );
  const ids = new Map(open.decisions.map(({ id, call_id }) => [id, call_id]));
  const answer = (question: string) => {
    const [kind, id] = question.split(/_(.*)/) as ["call" | "result", string];
    return answers[ids.get(id) as string]?.[kind];
  };
  return compactContext(input, Object.assign(answering(answer), { limits: { maxQuestions: 12 } }));
}

/** The parts of messages that are the same in every language. */
function skeleton({ messages, goal: _, next_action: __, ...rest }: CompactionRequest): unknown {
  const block = ({ text: _, thinking: __, hint: ___, input, output, ...fields }: Record<string, unknown>) => ({
    ...fields,
    keys: typeof input === "string" ? Object.keys(JSON.parse(input)) : undefined,
    output: Array.isArray(output) ? output.map(({ text: _, ...inner }) => inner) : typeof output,
  });
  return {
    ...rest,
    messages: messages.map(({ content, ...fields }) => ({
      ...fields,
      content: typeof content === "string" ? "text" : content.map(block),
    })),
  };
}

/** What must hold whatever the model says. */
function checkRecords(
  request: CompactionRequest,
  result: CompactionResult,
  { protected_calls, not_pairs }: Expected,
): void {
  assert.deepEqual(violations(request, result), []);
  assert.deepEqual(texts(result.messages), texts(request.messages), "all conversation text is unchanged");
  for (const id of [...protected_calls, ...not_pairs])
    assert.equal(blocksOf(result.messages, id), blocksOf(request.messages, id), `${id} is unchanged`);
  for (const message of request.messages) {
    if (request.protected_message_ids?.includes(message.id ?? ""))
      assert.ok(
        result.messages.some((kept) => JSON.stringify(kept) === JSON.stringify(message)),
        `message ${message.id} is unchanged`,
      );
  }
}

for (const name of readdirSync(folder)) {
  const expected = read(`${name}/expected.json`) as Expected;
  const request = () => read(`${name}/request.json`) as CompactionRequest;
  const whole = (result: CompactionResult) =>
    expected.key_candidates.filter((id) => blocksOf(result.messages, id) === blocksOf(request().messages, id));

  describe(name, () => {
    it("is a long believable session", () => {
      const chars = JSON.stringify(request().messages).length;
      assert.ok(chars >= 35_000 && chars <= 55_000, String(chars));
    });

    it("a scripted model: irrelevant calls go, key evidence stays, characters really fall", async () => {
      const input = request();
      const archive = JSON.stringify(input);
      const result = await scripted(input, expected);
      assert.ok(result.stats.requests > 1, "batches run for real");
      assert.equal(JSON.stringify(input), archive, "input and archive are unchanged");
      checkRecords(input, result, expected);
      for (const { call_id, action, reason } of result.decisions) {
        if (call_id in expected.expected_actions) assert.equal(action, expected.expected_actions[call_id], call_id);
        else assert.equal(reason, expected.reasons[call_id], call_id);
      }
      assert.ok(expected.irrelevant_calls.some((id) => blocksOf(result.messages, id) === "[]"));
      assert.deepEqual(whole(result), expected.key_candidates);
      assert.ok((result.stats.chars_after as number) < 0.3 * (result.stats.chars_before as number));
    });

    it("the local model: key evidence stays, nothing else moves, characters fall", async (context) => {
      const input = request();
      const result = await compactContext(input, localDecisionModel());
      checkRecords(input, result, expected);
      assert.deepEqual(whole(result), expected.key_candidates);
      const { chars_before, chars_after } = result.stats as { chars_before: number; chars_after: number };
      assert.ok(chars_after < chars_before, `${chars_after} of ${chars_before}`);
      context.diagnostic(`${name}: ${((1 - chars_after / chars_before) * 100).toFixed(1)} % fewer JSON characters`);
    });

    const key = process.env.TYPESAFE_API_KEY;
    const wanted = process.env.KEEPLINE_RUN_DECISION_INTEGRATION === "1" && key !== undefined;
    it("a real provider (TypeSafe System One over HTTP)", {
      skip: wanted ? false : "needs TYPESAFE_API_KEY and KEEPLINE_RUN_DECISION_INTEGRATION=1",
      timeout: 120_000,
    }, async (context) => {
      const input = request();
      const result = await compactContext(
        { ...input, options: { ...input.options, total_timeout_seconds: 100 } },
        systemOne(key as string),
        { timeoutSeconds: 60 },
      );
      checkRecords(input, result, expected);
      for (const { id, action, keep_call, keep_result } of result.decisions)
        context.diagnostic(`${id} ${action} ${keep_call ?? "-"} ${keep_result ?? "-"}`);
      context.diagnostic(`${result.stats.requests} requests, usage ${JSON.stringify(result.stats.usage)}`);
    });
  });
}

for (const twin of readdirSync(folder).filter((name) => name.endsWith("-zh"))) {
  const name = twin.slice(0, -"-zh".length);
  const request = (of: string) => read(`${of}/request.json`) as CompactionRequest;
  const expected = (of: string) => read(`${of}/expected.json`) as Expected;
  const actions = ({ decisions }: CompactionResult) => decisions.map(({ call_id, action }) => `${call_id} ${action}`);

  describe(`${twin} beside ${name}`, () => {
    it("has the same messages, blocks and calls, and expects the same", () => {
      assert.deepEqual(skeleton(request(twin)), skeleton(request(name)));
      assert.deepEqual({ ...expected(twin), name }, expected(name));
    });

    it("a scripted model decides the same", async () => {
      const [ours, theirs] = [
        await scripted(request(twin), expected(twin)),
        await scripted(request(name), expected(name)),
      ];
      assert.deepEqual(actions(ours), actions(theirs));
      assert.deepEqual(
        ours.decisions.map(({ reason }) => reason),
        theirs.decisions.map(({ reason }) => reason),
      );
    });

    it("the local model decides the same, but for one call that is on the line in both", async () => {
      const [ours, theirs] = [
        await compactContext(request(twin), localDecisionModel()),
        await compactContext(request(name), localDecisionModel()),
      ];
      const others = theirs.decisions.filter(({ action }, index) => ours.decisions[index]?.action !== action);
      assert.ok(others.length <= 1, others.map(({ call_id }) => call_id).join());
      for (const { id } of others)
        for (const { decisions } of [ours, theirs]) {
          const { keep_result = 1 } = decisions.find((decision) => decision.id === id) ?? {};
          assert.ok(Math.abs(keep_result - 0.5) < 0.05, `${id}: ${keep_result}`);
        }
    });
  });
}

/** The System One wire, as small as it gets. */
function systemOne(key: string): DecisionModel {
  return async ({ state, questions }, { signal }) => {
    const response = await fetch(process.env.TYPESAFE_URL ?? "https://api.typesafe.ai/v1/systemone", {
      method: "POST",
      signal,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "jev-latest",
        state,
        questions: Object.fromEntries(
          Object.entries(questions).map(([name, { instructions }]) => [name, { type: "noul", instructions }]),
        ),
      }),
    });
    if (!response.ok)
      throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status, headers: response.headers });
    return (await response.json()) as DecisionResponse;
  };
}
