/** Every decision of the local model says why. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type CompactionRequest,
  compactContext,
  compactContextJson,
  type Decision,
  type ExplainedSum,
  localDecisionModel,
  type Message,
} from "keepline";
import { generate } from "../fixtures/gen-history.mjs";
import { scripted } from "../support/scripted.js";

function request(): CompactionRequest {
  const { messages, goal, eligible_tool_names } = generate({ calls: 120, targetBytes: 300_000, seed: 5 });
  return { messages: messages as Message[], goal, eligible_tool_names };
}

/** A sum explains a probability when its parts add up to the log-odds, largest part first. */
function checkSum({ z, base, factors }: ExplainedSum, probability: number | undefined): void {
  const sum = factors.reduce((sum, { contribution }) => sum + contribution, base);
  assert.ok(Math.abs(sum - z) < 1e-9, `${sum} instead of ${z}`);
  if (probability !== undefined) assert.ok(Math.abs(1 / (1 + Math.exp(-z)) - probability) < 1e-12);
  const sizes = factors.map(({ contribution }) => Math.abs(contribution));
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => b - a),
  );
  assert.ok(factors.every(({ contribution, value }) => contribution !== 0 && Number.isFinite(value)));
}

const asked = (decisions: readonly Decision[]) => decisions.filter(({ keep_call }) => keep_call !== undefined);

describe("explain", () => {
  it("adds up to both probabilities, for every candidate and no other", async () => {
    const { decisions } = await compactContext(request(), localDecisionModel());
    assert.ok(asked(decisions).length > 50);
    for (const { explain, keep_call, keep_result } of decisions) {
      assert.equal(explain === undefined, keep_call === undefined);
      if (!explain) continue;
      checkSum(explain.call, keep_call);
      checkSum(explain.result, keep_result);
      assert.match(explain.sentence.en, /^(Kept|Output shortened|Call removed): .+\.$/);
      assert.match(explain.sentence.zh, /^(保留|缩短输出|移除调用)：.+。$/);
    }
  });

  it("names what speaks for the decision first", async () => {
    const { decisions } = await compactContext(request(), localDecisionModel({ point: "firm" }));
    const dropped = decisions.filter(({ action }) => action !== "keep");
    assert.ok(dropped.length > 5);
    for (const { explain, action } of dropped) {
      const factors = (action === "drop_call" ? explain?.call : explain?.result)?.factors ?? [];
      assert.ok(
        factors.some(({ contribution }) => contribution < 0),
        JSON.stringify(explain),
      );
    }
  });

  it("keeps a call that changes something by more than all other factors", async () => {
    const messages: Message[] = [
      { role: "user", content: "start" },
      ...["write_file", "read_file"].flatMap((name): Message[] => [
        {
          role: "assistant",
          content: [{ type: "tool_call", id: name, name, input: '{"path":"a.ts"}', state: "finished" }],
        },
        {
          role: "assistant",
          content: [{ type: "tool_result", id: name, name, output: "ok ".repeat(900), state: "success" }],
        },
      ]),
      { role: "user", content: "and now something else" },
    ];
    const { decisions } = await compactContext(
      {
        messages,
        goal: "go on",
        eligible_tool_names: ["write_file", "read_file"],
        options: { preserve_recent_messages: 1 },
      },
      localDecisionModel(),
    );
    const [written, read] = decisions;
    assert.equal(written?.keep_call, 1);
    assert.equal(written?.explain?.call.factors[0]?.code, "mutating");
    assert.ok(read?.explain?.call.factors.every(({ code }) => code !== "mutating"));
  });

  it("comes with the JSON surface too, and not from a decision function", async () => {
    const input = request();
    const { decisions } = await compactContext(input, localDecisionModel());
    const fromJson = JSON.parse(await compactContextJson(JSON.stringify(input), localDecisionModel()));
    assert.deepEqual(fromJson.decisions, JSON.parse(JSON.stringify(decisions)));
    const byFunction = await compactContext(input, scripted(1));
    assert.ok(byFunction.decisions.every((decision) => !("explain" in decision)));
  });
});
