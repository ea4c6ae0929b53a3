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
      assert.match(explain.sentence.en, /^(Kept|Output shortened|Call removed|Not needed, but .+): .+\.$/);
      assert.match(explain.sentence.zh, /^(保留|缩短输出|移除调用|不再需要.+)：.+。$/);
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

describe("what a host can tell the local model", () => {
  /** Three tasks at one service desk, so alike that their words do not tell them apart. */
  function desk(): CompactionRequest {
    const messages: Message[] = [];
    for (const task of [1, 2, 3]) {
      messages.push({
        id: `start${task}`,
        role: "user",
        content: `Please look up my order ${task}0${task} and its status`,
      });
      for (let step = 0; step < 4; step++) {
        const id = `t${task}s${step}`;
        const record = { order: `${task}0${task}`, step, status: "shipped", note: "parcel at the depot ".repeat(30) };
        messages.push(
          {
            role: "assistant",
            content: [
              {
                type: "tool_call",
                id,
                name: "get_order",
                input: JSON.stringify({ order: task, step }),
                state: "finished",
              },
            ],
          },
          {
            role: "assistant",
            content: [{ type: "tool_result", id, name: "get_order", output: JSON.stringify(record), state: "success" }],
          },
        );
      }
    }
    return {
      messages,
      goal: "answer the question about order 303",
      eligible_tool_names: ["get_order"],
      options: { preserve_recent_messages: 2 },
    };
  }

  const ended = (decisions: readonly Decision[]) =>
    decisions.filter(({ call_id, keep_result }) => /^t[12]/.test(call_id) && keep_result !== undefined);

  it("where tasks begin: segments start there and nowhere else", async () => {
    const input = desk();
    // A nudge in the middle of the running task would begin a segment of its own.
    const at = input.messages.length - 4;
    const messages = [
      ...input.messages.slice(0, at),
      { role: "user" as const, content: "Please go on." },
      ...input.messages.slice(at),
    ];
    const topics = async (task_starts?: string[]) => {
      const { decisions } = await compactContext(
        { ...input, messages, ...(task_starts && { task_starts }) },
        localDecisionModel(),
      );
      return decisions.map(
        ({ explain }) => explain?.result.factors.find(({ code }) => code === "topic_ended")?.value ?? 1,
      );
    };
    const told = await topics(["start1", "start2", "start3"]);
    assert.ok(
      told.slice(8).every((topic) => topic === 1),
      "the running task is one part",
    );
    const guessed = await topics();
    assert.ok(guessed[8] !== undefined && guessed[8] < 1, "without the hint the nudge begins another part");
    assert.deepEqual(await topics([]), guessed);
  });

  it("how full the context is: the fuller, the more goes", async () => {
    const probabilities = async (context_fill?: number, point: "careful" | "balanced" | "firm" = "balanced") => {
      const { decisions } = await compactContext(
        { ...desk(), ...(context_fill !== undefined && { context_fill }) },
        localDecisionModel({ point }),
      );
      return ended(decisions).map(({ keep_result = 1 }) => keep_result);
    };
    const [empty, half, full] = [await probabilities(0.1), await probabilities(0.5), await probabilities(0.95)];
    assert.ok(empty.length > 4);
    assert.ok(
      empty.every(
        (value, index) => value > (half[index] as number) && (half[index] as number) > (full[index] as number),
      ),
    );
    assert.deepEqual(half, await probabilities());
    assert.deepEqual(empty, await probabilities(undefined, "careful"));
    assert.deepEqual(full, await probabilities(undefined, "firm"));
  });

  it("to cut where the model suggests: as much as the options keep, most of it from the end, on line ends", async () => {
    const rows = Array.from({ length: 60 }, (_, row) => `${row} ${"value ".repeat(4)}`);
    const input = desk();
    const messages = input.messages.map((message) =>
      Array.isArray(message.content)
        ? {
            ...message,
            content: message.content.map((block) =>
              block.type === "tool_result" ? { ...block, output: rows.join("\n") } : block,
            ),
          }
        : message,
    ) as Message[];
    const options = { ...input.options, keep_call_threshold: 0, keep_result_threshold: 1 };
    const outputs = async (cut?: "suggested" | "options") => {
      const { messages: compacted, decisions } = await compactContext(
        { ...input, messages, options },
        localDecisionModel({ ...(cut && { cut }) }),
      );
      const [shortened] = decisions.filter(({ applied, action }) => applied && action === "drop_result");
      assert.ok(shortened);
      const text = JSON.stringify(compacted).match(/0 value[^"]*/)?.[0] ?? "";
      return { text: JSON.parse(`"${text}"`) as string, shortened };
    };
    const { text, shortened } = await outputs("suggested");
    const [head = "", tail = ""] = text.split(/\n\[….*\]\n/);
    assert.ok(rows.join("\n").startsWith(`${head}\n`) && rows.join("\n").endsWith(`\n${tail}`));
    assert.ok(
      head.length <= 100 && head.length > 50 && tail.length <= 200 && tail.length > 150,
      `${head.length} ${tail.length}`,
    );
    assert.deepEqual(shortened.explain?.cut, { head_chars: head.length, tail_chars: tail.length });
    assert.ok((await outputs()).text.startsWith(rows.join("\n").slice(0, 300)));
    assert.throws(() => localDecisionModel({ cut: "none" as "options" }), { code: "invalid_request" });
  });
});
