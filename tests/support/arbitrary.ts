/** Random requests: valid in form, odd in everything else. */
import fc from "fast-check";
import type { CompactionOptions, CompactionRequest, Message } from "keepline";

const CANARY = "CANARY";
const ids = fc.constantFrom("c1", "c2", "c3", "c4", 'id "5"\n', "__proto__", "", "👩‍👩‍👧");
const tools = fc.constantFrom("read", "grep", "deploy", "Read");

const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 2, arbitrary: fc.integer({ min: 10, max: 60 }).map((count) => "berth 7 free 06:40; ".repeat(count)) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.constantFrom("a", "é", "中", "🐝", '"', "\\", "\n", "\u0001", "\u2028", "\ud83d", "\ude00"),
      maxLength: 80,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant("x\n[… 80 of 100 characters left out, call c1, full text in the archived history]"),
  },
);

const output = fc.oneof(
  { weight: 6, arbitrary: text },
  {
    weight: 3,
    arbitrary: fc.array(
      text.map((text) => ({ type: "text", text, id: "b" })),
      { maxLength: 3 },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom([{ type: "data", source: {} }], { rows: [1] }, null, 5, undefined) },
);

const input = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 30 }).map((path) => JSON.stringify({ path })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{"n":1e400}',
      "[]",
      "",
      "{",
      `{"password":"${CANARY}","deep":[{"token":"${CANARY}"}]}`,
      `{"big":"${"lorem ".repeat(300)}"}`,
    ),
  },
  { weight: 1, arbitrary: fc.anything() },
);

const call = fc.record(
  {
    type: fc.constant("tool_call"),
    id: ids,
    name: tools,
    input,
    state: fc.constantFrom("finished", "finished", "finished", "pending", 5),
  },
  { noNullPrototype: true },
);
const result = fc.record(
  {
    type: fc.constant("tool_result"),
    id: ids,
    name: tools,
    output,
    state: fc.constantFrom("success", "success", "success", "error", undefined),
  },
  { noNullPrototype: true },
);
const other = fc.oneof(
  text.map((text) => ({ type: "text", text })),
  fc.constantFrom(
    { type: "thinking", thinking: CANARY, signature: CANARY },
    { type: "hint", hint: CANARY },
    { type: "future", payload: { a: CANARY } },
    { type: 7 },
    {},
  ),
);

/** A call of the tool `read` with its result, so that candidates are common. */
const pair = fc
  .tuple(fc.integer({ min: 0, max: 99 }), output, fc.string({ maxLength: 20 }))
  .map(([number, output, path]) => [
    { type: "tool_call", id: `p${number}`, name: "read", input: JSON.stringify({ path }), state: "finished" },
    { type: "tool_result", id: `p${number}`, name: "read", output, state: "success", metadata: { k: CANARY } },
  ]);

const content = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .array(fc.oneof(pair, pair, fc.array(fc.oneof(call, result, other), { maxLength: 2 })), { maxLength: 3 })
      .map((parts) => parts.flat()),
  },
  { weight: 1, arbitrary: text },
);

const messages = fc
  .array(
    fc.record(
      { role: fc.constantFrom("assistant", "assistant", "assistant", "user", "system"), content },
      { noNullPrototype: true },
    ),
    { minLength: 1, maxLength: 9 },
  )
  .map(
    (messages) =>
      messages.map((message, index) => ({
        id: `m${index}`,
        ...message,
        metadata: { k: CANARY },
      })) as unknown as Message[],
  );

const options: fc.Arbitrary<CompactionOptions> = fc.record(
  {
    preserve_recent_messages: fc.integer({ min: 0, max: 4 }),
    truncate_head_chars: fc.integer({ min: 0, max: 60 }),
    truncate_tail_chars: fc.integer({ min: 0, max: 60 }),
    min_result_chars: fc.constantFrom(0, 50, 400),
    min_saved_chars: fc.constantFrom(0, 0, 700),
    drop_call_mode: fc.constantFrom("remove" as const, "stub" as const),
    thinking_with_call: fc.constantFrom("keep" as const, "drop" as const),
    max_state_tokens: fc.constantFrom(25000, 2000),
    max_request_tokens: fc.constantFrom(30000, 3000),
    max_concurrency: fc.integer({ min: 1, max: 8 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** Random requests. */
export const requests: fc.Arbitrary<CompactionRequest> = fc.record(
  {
    messages,
    goal: fc.constant("Go on"),
    eligible_tool_names: fc.constant(["read", "grep"]),
    protected_call_ids: fc.array(ids, { maxLength: 2 }),
    protected_message_ids: fc.array(fc.constantFrom("m1", "m2", "m3"), { maxLength: 2 }),
    source_refs: fc.constant({ p1: "kv://a b", c1: "]\n" }),
    options,
  },
  { noNullPrototype: true },
);
