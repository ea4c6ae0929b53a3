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

/** Counts what is compiled and instantiated while something is done. */
async function counting(task) {
  const own = { compile: WebAssembly.compile, Module: WebAssembly.Module, Instance: WebAssembly.Instance };
  const counts = { compiled: 0, instances: 0 };
  const counted = (name, what) =>
    new Proxy(own[name], {
      apply: (target, self, args) => {
        counts[what]++;
        return Reflect.apply(target, self, args);
      },
      construct: (target, args) => {
        counts[what]++;
        return Reflect.construct(target, args);
      },
    });
  WebAssembly.compile = counted("compile", "compiled");
  WebAssembly.Module = counted("Module", "compiled");
  WebAssembly.Instance = counted("Instance", "instances");
  try {
    return { said: await task(), counts };
  } finally {
    Object.assign(WebAssembly, own);
  }
}

/** Runs {@link scenes}; says what came of it, or throws where that is wrong in itself. */
export async function suite(keepline) {
  const { said, counts } = await counting(() => scenes(keepline));
  // A host that gave the module has compiled it before.
  if (counts.compiled > 1 || counts.instances !== 1) throw new Error(`not initialised once: ${JSON.stringify(counts)}`);
  const { same, failed, wrong, aborted } = said;
  const wanted = same && failed === "decision_failed" && wrong === "invalid_request" && aborted === "aborted";
  if (!wanted) throw new Error(JSON.stringify({ same, failed, wrong, aborted }));
  return JSON.stringify(said);
}

/** Compacts, fails, aborts, compacts in parallel (the first calls, so that they race) and decides locally. */
async function scenes({ compactContext, applyDecisions, restore, localDecisionModel, CompactionError, init }) {
  const code = (promise) =>
    promise.then(
      () => "no error",
      (error) => (CompactionError.isInstance(error) ? error.code : `not ours: ${error}`),
    );
  const shown = ({ messages, decisions }) => JSON.stringify([messages, decisions]);
  const abort = new AbortController();
  // Cared for at once: it may end while the module is still loading.
  const waiting = code(compactContext(request(), () => new Promise(() => {}), { signal: abort.signal }));
  setTimeout(() => abort.abort(), 5);
  const failing = () => {
    throw new Error("out of order");
  };
  const scripted = answer((index) => (index % 3) / 3);
  const parallel = await Promise.all([1, 2, 3, 4].map(() => compactContext(request(), scripted)));
  const local = await compactContext(request(), localDecisionModel({ point: "firm" }));
  await Promise.all([init(), init()]);
  const applied = applyDecisions(request(), parallel[0].decisions);
  return {
    scripted: shown(parallel[0]),
    same: parallel.every((result) => shown(result) === shown(parallel[0])) && shown(applied) === shown(parallel[0]),
    failed: await code(compactContext(request(), failing, { maxRetries: 0 })),
    wrong: await code(compactContext({}, scripted)),
    aborted: await waiting,
    local: shown(local),
    restored: JSON.stringify(restore(parallel[0], request().messages, "c1")),
  };
}
