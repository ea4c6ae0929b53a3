/** What every runtime runs; its text is compared with Node's, byte for byte. Plain JavaScript, so that nothing has to be built for it. */

const pair = (id, output) => [
  {
    role: "assistant",
    content: [{ type: "tool_call", id, name: "read", input: '{"path":"a.ts"}', state: "finished" }],
  },
  { role: "assistant", content: [{ type: "tool_result", id, name: "read", output, state: "success" }] },
];

const request = () => ({
  messages: [
    { role: "user", content: [{ type: "text", text: "Größe der 订单 A2024-1187 prüfen" }] },
    ...[1, 2, 3].flatMap((number) =>
      pair(`c${number}`, `entry_${number} of the log, value ${number * 7919}\n`.repeat(40)),
    ),
    { role: "user", content: [{ type: "text", text: "Now something else: the weather in São Paulo 😀" }] },
    ...[4, 5].flatMap((number) => pair(`c${number}`, `forecast_${number}: ${"rain ".repeat(150)}`)),
  ],
  goal: "weather",
  eligible_tool_names: ["read"],
  options: { preserve_recent_messages: 1 },
});

const answer =
  (probability) =>
  async ({ questions }) => ({
    answers: Object.fromEntries(Object.keys(questions).map((name, index) => [name, probability(index)])),
  });

/** Compacts, fails, aborts, compacts in parallel and decides locally; says what came of it. */
export async function suite({ compactContext, applyDecisions, restore, localDecisionModel, CompactionError, init }) {
  const code = (promise) =>
    promise.then(
      () => "no error",
      (error) => (CompactionError.isInstance(error) ? error.code : `not ours: ${error}`),
    );
  const shown = ({ messages, decisions }) => JSON.stringify([messages, decisions]);
  const abort = new AbortController();
  const waiting = compactContext(request(), () => new Promise(() => {}), { signal: abort.signal });
  setTimeout(() => abort.abort(), 5);
  const failing = () => {
    throw new Error("out of order");
  };
  const scripted = answer((index) => (index % 3) / 3);
  const parallel = await Promise.all([1, 2, 3, 4].map(() => compactContext(request(), scripted)));
  const local = await compactContext(request(), localDecisionModel({ point: "firm" }));
  await Promise.all([init(), init()]);
  const applied = applyDecisions(request(), parallel[0].decisions);
  return JSON.stringify({
    scripted: shown(parallel[0]),
    same: parallel.every((result) => shown(result) === shown(parallel[0])) && shown(applied) === shown(parallel[0]),
    failed: await code(compactContext(request(), failing, { maxRetries: 0 })),
    wrong: await code(compactContext({}, scripted)),
    aborted: await code(waiting),
    local: shown(local),
    restored: JSON.stringify(restore(parallel[0], request().messages, "c1")),
  });
}
