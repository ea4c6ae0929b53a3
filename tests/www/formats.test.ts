/**
 * The formats of the page, without a browser: random histories of every format are detected, the pieces that the page shows are the
 * blocks that decisions name, and the comparison says of each piece what really became of it.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CompactionError, type CompactionResult, type Decision, type DecisionModel, init } from "keepline";
import type { Piece, Settings } from "../../www/src/formats/format.js";
import { detect } from "../../www/src/formats/registry.js";
import { Comparison } from "../../www/src/worker/compare.js";
import { DocumentError, parseDocument } from "../../www/src/worker/document.js";
import { rewrite } from "../../www/src/worker/rewrite.js";
import { Session } from "../../www/src/worker/session.js";
import { writeDocument } from "../../www/src/worker/write.js";
import { FORMATS } from "../formats/all.js";
import { samples } from "../formats/format.js";
import { Random } from "../formats/random.js";
import { script, TOOLS } from "../formats/script.js";
import { probability } from "../support/scripted.js";

const HISTORIES = 150;

const settings: Settings = {
  goal: "Go on",
  eligible_tool_names: TOOLS,
  protected_message_ids: [],
  protected_call_ids: [],
  options: { preserve_recent_messages: 1, truncate_head_chars: 10 },
};

const model =
  (seed: number): DecisionModel =>
  ({ questions }) => ({
    answers: Object.fromEntries(Object.keys(questions).map((name) => [name, probability(name, seed)])),
  });

/** As it would be in a file. */
const stored = (messages: readonly object[]): object[] => JSON.parse(JSON.stringify(messages));

await init();

describe("the formats of the page", () => {
  for (const make of FORMATS) {
    it(`${make.name}: is detected, and its pieces are the blocks of decisions`, async () => {
      const { name, adapter, write } = await make();
      let compared = 0;
      for (let seed = 0; seed < HISTORIES; seed++) {
        const random = new Random(seed);
        const { messages, runtime } = await write(script(random), random);
        if (runtime.serverState || messages.length === 0) continue;
        const found = await detect(stored(messages));
        if (!found) {
          const calls = adapter.viewMessages(messages, runtime).flatMap((row) => row.calls);
          assert.equal(calls.length, 0, `${name}, seed ${seed}: not detected`);
          continue;
        }
        const { format } = found;
        const hasCalls = found.messages.some((message) =>
          format.read(message).pieces.some(({ kind }) => kind === "call"),
        );
        if (!hasCalls) continue;
        assert.equal(format.id, name, `seed ${seed}`);
        const result = await format.compact(found.messages, settings, model(seed), { shareUnchanged: true });
        const comparison = new Comparison(format, found.messages, result);
        for (const decision of result.decisions) {
          const where = `${name}, seed ${seed}, ${decision.id}`;
          const pieceAt = ([message, block]: [number, number]): Piece | undefined =>
            format.read(found.messages[message]).pieces[block];
          const [call, output] = [pieceAt(decision.call_at), pieceAt(decision.result_at)];
          assert.deepEqual([call?.kind, call?.tool, output?.kind], ["call", decision.tool, "result"], where);
          assert.equal(call?.call_id, output?.call_id, where);
          assert.deepEqual(fates(comparison, decision), expected(decision), where);
          if (decision.applied) compared++;
        }
        found.messages.forEach((message, index) => {
          const mapped = result.message_map[index];
          if (typeof mapped === "number" && result.messages[mapped] === message) return;
          // An empty text keeps no message.
          const { pieces } = comparison.message(index);
          const kept = pieces
            .filter(({ kind, text }) => kind === "text" && text !== "")
            .every(({ state }) => state === "same");
          assert.ok(kept, `${name}, seed ${seed}: text of message ${index} is shown as gone`);
        });
      }
      assert.ok(compared > 100, `${name}: only ${compared} decisions compared`);
    });
  }

  for (const make of FORMATS) {
    it(`${make.name}: what did not change keeps its bytes in the result`, async () => {
      const { name, write } = await make();
      let changed = 0;
      for (let seed = 0; seed < HISTORIES; seed++) {
        const random = new Random(seed);
        const { messages } = await write(script(random), random);
        const isLines = random.chance(0.3);
        const text = odd(stored(messages), random, isLines);
        const document = parseDocument(text);
        const found = await detect(document.value);
        if (!found) continue;
        const result = await found.format.compact(found.messages, settings, model(seed), { shareUnchanged: true });
        const origins = originsOf(found.messages, result);
        const after = found.wrap(result.messages, result.message_map, origins);
        const written = writeDocument(document, text, after, origins);
        const where = `${name}, seed ${seed}`;
        if (!result.changed) {
          assert.equal(written.trimEnd(), text.trimEnd(), where);
          continue;
        }
        changed++;
        assert.equal(
          JSON.stringify(parseDocument(`${written}\n${isLines ? "0" : ""}`).value),
          JSON.stringify(isLines ? [...(after as unknown[]), 0] : after),
          where,
        );
        assert.equal(written.split(BIG).length, result.messages.length + 1, where);
        // Where an adapter makes one message of two, what moves is written anew.
        const places = result.message_map.filter((place) => place !== null);
        if (isLines || new Set(places).size < places.length) continue;
        // A value a line: each line was there before, or is a result that got shorter.
        const lines = new Set(text.split("\n").map((line) => line.replace(/,$/, "")));
        const unknown = written.split("\n").filter((line) => !lines.has(line.replace(/,$/, "")));
        const isOurs = (line: string) => /left out, call|\[\]|\{\}/.test(line);
        assert.deepEqual(
          unknown.filter((line) => !isOurs(line)),
          [],
          where,
        );
      }
      assert.ok(changed > HISTORIES / 4, `${name}: only ${changed} results`);
    });
  }

  it("write what they must where the bytes alone would be wrong", () => {
    const twice = '{"a": 1, "a": 2, "b": [1]}';
    const before = JSON.parse(twice);
    assert.deepEqual(JSON.parse(rewrite(twice, before, { ...before, b: [] })), { a: 2, b: [] });
    assert.equal(rewrite(' [ 1 , {"k" : 1e400} ] \n', [1, {}], [1, {}]).includes("1e400"), false);
    const inner = { k: 1 };
    assert.equal(rewrite(' [ 1, {"k" : 1.0} ] \n', [1, inner], [1, inner]), ' [ 1, {"k" : 1.0} ] \n');
    assert.equal(
      rewrite('{"a\\\\":"\\"]","b":[ ]}', { "a\\": '"]', b: [] }, { b: [] }),
      '{"b":[ ]}'.replace("[ ]", "[]"),
    );
  });

  it("take the samples of every format", async () => {
    for (const make of FORMATS) {
      const { name } = await make();
      const sample = JSON.parse(readFileSync(join(samples, `${name}.json`), "utf8"));
      assert.equal((await detect(sample))?.format.id, name);
    }
  });

  it("find the messages in requests, threads and transcripts, and put them back where they were", async () => {
    const sample = (name: string) => JSON.parse(readFileSync(join(samples, `${name}.json`), "utf8")) as object[];
    const anthropic = sample("anthropic");
    const responses = sample("openai-responses");
    const line = (message: object) => ({ type: "assistant", uuid: "u", message });
    const documents: [string, unknown][] = [
      ["anthropic", { model: "m", messages: anthropic }],
      ["gemini", { contents: sample("gemini"), systemInstruction: {} }],
      ["openai-responses", { input: responses, model: "m" }],
      ["openai-responses", { object: "list", data: responses }],
      ["langchain", { values: { messages: sample("langchain") }, next: [] }],
      ["anthropic", [{ type: "summary", summary: "s" }, ...anthropic.map(line)]],
      ["openai-responses", responses.map((payload) => ({ type: "response_item", payload }))],
    ];
    for (const [name, document] of documents) {
      const found = await detect(document);
      assert.equal(found?.format.id, name);
      const same = (found?.messages ?? []).map((_, index) => index);
      assert.deepEqual(found?.wrap(found.messages, same, new Map()), document);
    }
    const found = await detect([{ type: "summary" }, ...anthropic.map(line)]);
    const gone = (found?.messages ?? []).map(() => null);
    assert.deepEqual(found?.wrap([], gone, new Map()), [{ type: "summary" }]);
  });

  for (const make of FORMATS) {
    it(`${make.name}: a file that is spoilt is refused or read, and nothing fails inside`, async () => {
      const { write } = await make();
      let read = 0;
      for (let seed = 0; seed < HISTORIES; seed++) {
        const random = new Random(7 * seed + 1);
        const { messages } = await write(script(random), random);
        const text = JSON.stringify(spoilt({ messages: stored(messages), goal: "g" }, random));
        try {
          await everything(text);
          read++;
        } catch (thrown) {
          const isTold = thrown instanceof DocumentError || CompactionError.isInstance(thrown);
          assert.ok(isTold, `seed ${seed}: ${(thrown as Error).stack}`);
        }
      }
      assert.ok(read > HISTORIES / 4, `only ${read} were read`);
    });
  }

  it("say which message of a known format cannot be used", async () => {
    const message = (index: number) => ({
      role: index === 7 ? "robot" : "user",
      content: [{ type: "tool_call", id: `c${index}`, name: "read", input: "{}", state: "finished" }],
    });
    const text = JSON.stringify(Array.from({ length: 20 }, (_, index) => message(index)));
    await assert.rejects(everything(text), { code: "not_usable", message: /messages\[7\]/ });
  });

  it("say no to what is no chat", async () => {
    for (const document of [{}, [], 1, "text", null, [1, 2], { messages: [] }, [{ a: 1 }], [[{ role: "user" }]]])
      assert.equal(await detect(document), undefined, JSON.stringify(document));
  });

  it("refuse a history that the provider holds, and say why", async () => {
    const input = JSON.parse(readFileSync(join(samples, "openai-responses.json"), "utf8"));
    const found = await detect({ input, previous_response_id: "resp_1" });
    assert.ok(found);
    assert.throws(() => found.format.decide(found.messages, settings, []), /provider holds/);
  });
});

/** A number that no double holds. */
const BIG = "12345678901234567890123";

/** A file of messages with more in each than JavaScript can hold, written in some way. */
function odd(messages: object[], random: Random, isLines: boolean): string {
  const marked = messages.map((message) => ({ ...message, host_id: "BIG" }));
  const indent = random.pick([1, 2, "\t"]);
  const text = isLines
    ? marked.map((message) => JSON.stringify(message)).join("\n")
    : JSON.stringify({ messages: marked }, null, indent);
  return text.replaceAll('"BIG"', BIG);
}

/** As the page's worker makes them. */
function originsOf(messages: readonly unknown[], { messages: after, message_map }: CompactionResult<unknown>) {
  const origins = new Map<unknown, unknown>();
  message_map.forEach((place, index) => {
    if (place !== null) origins.set(after[place], messages[index]);
  });
  return origins;
}

const ODD = [null, 0, "", "x", [], {}, true, [null], { a: null }, "tool_call", undefined];

/** A document with some of its values replaced by others. */
function spoilt(document: object, random: Random): object {
  const places: [Record<string, unknown>, string][] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key]);
      walk((value as Record<string, unknown>)[key]);
    }
  };
  walk(document);
  for (let count = 1 + random.below(3); count > 0; count--) {
    const [holder, key] = random.pick(places);
    holder[key] = random.pick(ODD);
  }
  return document;
}

/** All that the worker of the page does with a file. */
async function everything(text: string): Promise<void> {
  const document = parseDocument(text);
  const session = await Session.open(new Blob([text]), document);
  const { calls } = session.head(text.length, () => undefined);
  const context = { signal: new AbortController().signal, tell: () => undefined, ask: async () => ({}) };
  const model = { kind: "scripted", script: "* 0.4 0.1" } as const;
  const { stats } = await session.run({ settings, model, language: "en" }, context);
  await countsLikeThePackage(document.value, stats);
  await session.changes(0, 20);
  for (const { id } of calls) await session.pair(id);
  await session.inspect(settings, undefined, "en");
  JSON.parse(await (await session.take("result")).text());
  await session.take("decisions");
  await session.curve({ settings });
}

/** The session counts characters by itself, and must come to the same. */
async function countsLikeThePackage(value: unknown, { chars_before, chars_after }: CompactionResult<unknown>["stats"]) {
  const found = await detect(value);
  assert.ok(found);
  const answers: DecisionModel = ({ questions }) => ({
    answers: Object.fromEntries(Object.keys(questions).map((name) => [name, name.startsWith("call") ? 0.4 : 0.1])),
  });
  const { stats } = await found.format.compact(found.messages, settings, answers, { shareUnchanged: true });
  assert.deepEqual([chars_before, chars_after], [stats.chars_before, stats.chars_after]);
}

/** What the comparison says of call and output. */
function fates(comparison: Comparison, { id, call_at, result_at }: Decision) {
  return [call_at, result_at].map(([message, block]) => {
    const piece = comparison.message(message).pieces[block];
    assert.equal(piece?.pair, id);
    return piece?.state;
  });
}

function expected({ action, applied }: Decision) {
  if (!applied) return ["same", "same"];
  return action === "drop_call" ? ["removed", "removed"] : ["same", "shortened"];
}
