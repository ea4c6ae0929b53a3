/** Measuring decision models: labels, figures, advice, the command line, and agreement with the study's own script. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type LocalPoint, localDecisionModel, type Message } from "keepline";
import { evidenceOf, longLinesOf, runsOf, strengthOf } from "../quality/evidence.js";
import { cutsOf, label, Rarity } from "../quality/labels.js";
import { auc, dropped, lostAt, Pool, type Row } from "../quality/measure.js";
import { hasPython } from "../quality/parity.js";
import { readRecipe } from "../quality/recipe.js";
import { ask, Pools } from "../quality/score.js";
import type { Session } from "../quality/session.js";
import { suggestResult } from "../quality/suggest.js";
import { root, shared } from "../support/shared.js";

const call = (id: string, input: string, name = "read_file"): Message => ({
  role: "assistant",
  content: [{ type: "tool_call", id, name, input: JSON.stringify({ path: input }), state: "finished" }],
});
const result = (id: string, output: string, name = "read_file"): Message => ({
  role: "assistant",
  content: [{ type: "tool_result", id, name, output, state: "success" }],
});
const say = (role: "user" | "assistant", text: string): Message => ({ role, content: [{ type: "text", text }] });

/** Text that says nothing. */
const FILLER = "plain words without any name in them, ".repeat(12);

describe("evidence", () => {
  it("tells strong tokens from weak ones and from none", () => {
    const of = (tokens: string[], strength: string | undefined) => {
      for (const token of tokens) assert.equal(strengthOf(token), strength, token);
    };
    of(["retry_limit_ms", "maxRetriesTotal", "A2024", "12345", "src/pay/retry.ts", "12.50"], "strong");
    of(["a_bcd", "fooBar", "x86", "1234", "src/a.ts", "123"], "weak");
    of(["retry", "the", "12", "a_b", "1.5"], undefined);
  });

  it("finds tokens and their parts, lines and runs", () => {
    assert.deepEqual(
      [...evidenceOf("see order_id-90210 at New York City")].sort(),
      ["90210", "New York City", "order_id", "order_id-90210"].sort(),
    );
    assert.deepEqual(
      [...longLinesOf("12: const limit = config.retries;\nimport a from b as c and d;\nshort")],
      ["const limit = config.retries;"],
    );
    assert.equal(runsOf("one two three four five six seven eight").size, 2);
  });
});

describe("labels by what the future uses", () => {
  const session = (future: string): Session => ({
    name: "s",
    domain: "d",
    messages: [
      say("user", "find out why the payment fails"),
      call("c1", "one.txt"),
      result("c1", `${FILLER}the limit is PAY-77120-X today`),
      call("c2", "two.txt"),
      result("c2", `${FILLER}the other is REF-55810-Q today`),
      say("assistant", "I go on."),
      say("user", "go on"),
      say("assistant", "looking"),
      say("assistant", future),
      say("assistant", "done"),
    ],
  });
  const labels = (future: string) => {
    const of = session(future);
    return label(of, 8, 2, "find out", new Rarity([of]));
  };

  it("credits the output that alone could have given it", () => {
    assert.deepEqual([...labels("It is PAY-77120-X.").needed], ["c1"]);
    assert.deepEqual([...labels("It is REF-55810-Q.").needed], ["c2"]);
    assert.deepEqual([...labels("Nothing of it.").needed], []);
  });

  it("does not charge what the kept start still shows, or what was fetched again", () => {
    const early = session("It is PAY-77120-X.");
    early.messages[2] = result("c1", `the limit is PAY-77120-X today ${FILLER}`);
    assert.deepEqual([...label(early, 8, 2, "g", new Rarity([early])).needed], []);
    const again = session("reading again");
    again.messages.splice(
      9,
      1,
      call("c3", "one.txt"),
      result("c3", "PAY-77120-X"),
      say("assistant", "It is PAY-77120-X."),
    );
    assert.deepEqual([...label(again, 8, 2, "g", new Rarity([again])).needed], []);
  });

  it("ignores tokens that many sessions have", () => {
    const of = session("It is PAY-77120-X.");
    assert.deepEqual([...label(of, 8, 2, "g", new Rarity([of, of, of, of])).needed], []);
  });

  it("cuts where enough is before and after", () => {
    const messages = Array.from({ length: 20 }, () => say("user", "x"));
    assert.deepEqual(cutsOf({ name: "s", domain: "d", messages }), [
      { at: 7, recent: 2 },
      { at: 10, recent: 2 },
      { at: 13, recent: 3 },
      { at: 16, recent: 4 },
    ]);
    assert.deepEqual(cutsOf({ name: "s", domain: "d", messages: messages.slice(0, 6) }), []);
  });
});

/** A pool of results with these probabilities, each freeing 100 of 1,000 code points. */
function pool(rows: readonly [keepResult: number, isNeeded: boolean][]): Pool {
  const made = new Pool();
  rows.forEach(([keepResult, isNeeded], index) => {
    const row: Row = {
      group: index % 3,
      freed: 100,
      isOwn: true,
      isNeeded,
      isCallNeeded: isNeeded,
      isMutating: false,
      keepCall: keepResult,
      keepResult,
      recency: 0,
      lastUser: 0,
      size: 0,
    };
    made.add([row], index % 3, 0);
  });
  made.add([], 0, 1000);
  return made;
}

describe("figures", () => {
  const rows = pool([
    [0.1, false],
    [0.2, false],
    [0.3, true],
    [0.4, false],
    [0.9, true],
  ]);

  it("are what one counts by hand", () => {
    assert.equal(
      auc([
        [1, false],
        [2, true],
        [3, true],
        [2, false],
      ]),
      (1 + 0.5 + 1 + 1) / 4,
    );
    const { removed, lost } = dropped(rows, ({ keepResult }) => keepResult < 0.5);
    assert.equal(removed.value, 0.4);
    assert.equal(lost.value, 0.5);
    const at = (share: number) => lostAt(rows, ({ keepResult }) => keepResult, share).value;
    assert.equal(at(0.2), 0);
    assert.equal(at(0.3), 0.5);
    assert.ok(Math.abs(at(0.25) - 0.25) < 1e-9);
    assert.ok(Number.isNaN(at(0.6)));
  });

  it("have intervals that hold the figure and come out the same again", () => {
    const first = dropped(rows, ({ keepResult }) => keepResult < 0.5).lost;
    assert.ok(first.low <= first.value && first.value <= first.high && first.low < first.high);
    assert.deepEqual(dropped(rows, ({ keepResult }) => keepResult < 0.5).lost, first);
  });

  it("suggest the highest threshold for a wanted loss, and say when the data are too few", () => {
    const { asMeasured, needed, floor } = suggestResult(rows, 0);
    assert.ok(asMeasured && Math.abs(asMeasured.threshold - 0.25) < 1e-9);
    assert.equal(asMeasured.removed.value, 0.2);
    assert.deepEqual([needed, floor], [2, 1]);
    const [careful, bold] = [suggestResult(rows, 0.1).asMeasured, suggestResult(rows, 0.5).asMeasured];
    assert.ok((careful?.removed.value ?? 1) < (bold?.removed.value ?? 0));
  });
});

describe("npm run quality", () => {
  let folder = "";
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ["--import", "tsx", join(root, "tests", "quality", "cli.ts"), ...args], {
      encoding: "utf8",
      cwd: root,
    });
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "keepline-sessions-"));
    for (let number = 0; number < 6; number++) {
      const tag = `ORD-${7001 + 17 * number}-K`;
      const steps = Array.from({ length: 10 }, (_, step) => [
        call(`c${step}`, `file${number}_${step}.txt`),
        result(`c${step}`, `${FILLER}${step === 3 ? `the order is ${tag} indeed` : `nothing in part ${step} of it`}`),
      ]);
      const messages = [
        say("user", `task ${number}: find the order`),
        ...steps.flat(),
        say("assistant", `It is ${tag}.`),
        say("assistant", "done"),
      ];
      writeFileSync(join(folder, `s${number}.json`), JSON.stringify({ messages }));
    }
    writeFileSync(
      join(folder, "model.mjs"),
      "export default async ({ questions }) => ({ answers: Object.fromEntries(Object.keys(questions).map((name) => [name, /_4/.test(name) ? 0.9 : 0.2])) });\n",
    );
    writeFileSync(join(folder, "nothing.mjs"), "export default 3;\n");
  });
  after(() => rmSync(folder, { recursive: true }));

  it("measures a host's own function on plain transcripts", () => {
    const { status, stdout, stderr } = run(folder, "--model", join(folder, "model.mjs"), "--json");
    assert.equal(status, 0, stderr);
    const { pools, advice } = JSON.parse(stdout);
    const joined = pools.find(({ name }: { name: string }) => name === "joined");
    assert.ok(joined.needed >= 6 && joined.candidates > 100);
    assert.deepEqual(joined.policies.map(({ name }: { name: string }) => name).slice(1), [
      "keep the last N",
      "before the last user text",
      "largest first",
    ]);
    assert.equal(advice.length, 1);
  });

  it("measures the local model and prints tables for people", () => {
    const { status, stdout } = run(folder, "--point", "balanced", "--max-loss", "5%");
    assert.equal(status, 0);
    assert.match(stdout, /^one task: \d+ snapshots of 6 tasks/m);
    assert.match(stdout, /local, balanced {2,}/);
    assert.match(stdout, /at most 5\.0 % lost/);
  });

  it("says what is wrong with its arguments, with exit code 2", () => {
    const cases: [args: string[], message: RegExp][] = [
      [["no-such-folder"], /no-such-folder is not a folder/],
      [[folder, "no-recipe.json"], /no-recipe\.json is not a file/],
      [["--point", "bold"], /--point must be careful, balanced, firm, study; found bold/],
      [["--max-loss", "lots"], /--max-loss must be a share such as 2% or 0\.02; found lots/],
      [[folder, "--model", "gone.mjs"], /there is no file gone\.mjs/],
      [[folder, "--model", join(folder, "nothing.mjs")], /must be a decision model .* not number/],
      [["--bogus"], /--bogus/],
    ];
    for (const [args, message] of cases) {
      const { status, stderr } = run(...args);
      assert.equal(status, 2, args.join(" "));
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n\s+at /);
    }
  });
});

const [script, sessions, recipe] = ["quality/eval.py", "bench/trajectories", "quality/recipe-dev.json"].map(shared);
const missing = !script
  ? "the recorded sessions are not beside the repository"
  : hasPython()
    ? undefined
    : "needs python3";

describe("agreement with the study's script", { skip: missing ?? false }, () => {
  it("on every figure that both have", async () => {
    const folder = mkdtempSync(join(tmpdir(), "keepline-agree-"));
    try {
      const decisions = join(folder, "decisions.jsonl");
      const lines: string[] = [];
      const pools = new Pools();
      const model = localDecisionModel({ point: "study" as LocalPoint });
      for (const snapshot of readRecipe(sessions as string, recipe as string, "task")) {
        const answers = await ask(snapshot, model);
        pools.add(snapshot, answers);
        for (const [id, { keepCall, keepResult }] of answers)
          lines.push(JSON.stringify({ id: `${snapshot.id}:${id}`, p_call: keepCall, p_result: keepResult }));
      }
      writeFileSync(decisions, lines.join("\n"));
      const { stdout } = spawnSync(
        "python3",
        [script as string, sessions as string, recipe as string, "--decisions", decisions],
        {
          encoding: "utf8",
          maxBuffer: 1 << 26,
        },
      );
      for (const [ours, theirs] of [
        ["joined", "composites / ALL"],
        ["one task", "one task / ALL"],
        ["aba / coding", "aba / coding"],
      ] as const) {
        const part = stdout.slice(stdout.indexOf(`${theirs}:`)).split("\n");
        const numbers = (start: string) =>
          (part.find((line) => line.startsWith(`  ${start}`)) ?? "")
            .slice(start.length + 2)
            .match(/\d\.\d+/g)
            ?.map(Number) ?? [];
        const pool = pools.pools.get(ours) as Pool;
        const [area, ...lost] = numbers("given  ");
        const long = pool.rows.filter(({ freed }) => freed > 0);
        near(auc(long.map((row) => [row.keepResult, row.isNeeded])), area);
        lost.forEach((value, index) => {
          near(lostAt(pool, ({ keepResult }) => keepResult, 0.2 + 0.1 * index).value, value);
        });
        const [removed, lostAtLine, , ended] = numbers("given, t = 0.5 :");
        const figures = dropped(pool, ({ keepResult }) => keepResult < 0.5);
        near(figures.removed.value, removed);
        near(figures.lost.value, lostAtLine);
        if (ended !== undefined) near(figures.ended.value, ended);
        const [, ...recency] = numbers("keep-last-N");
        recency.forEach((value, index) => {
          near(lostAt(pool, ({ recency }) => recency, 0.2 + 0.1 * index).value, value);
        });
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** The script prints three digits. */
function near(ours: number, theirs: number | undefined): void {
  assert.ok(theirs !== undefined && Math.abs(ours - theirs) <= 0.0006, `${ours} instead of ${theirs}`);
}
