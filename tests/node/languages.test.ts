/** Sessions of several tasks in ten languages: the local model gives up ended tasks and nothing that is still needed. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Block, type CompactionResult, compactContext, localDecisionModel } from "keepline";
import { violations } from "../support/invariants.js";
import { callsOf, type Joined, join, memberOf, type Session, sessions } from "../support/joined.js";

/** Share of the output characters of ended tasks that goes, over all sessions and in each language. */
const ENDED_FLOOR = 0.5;
const ENDED_FLOOR_PER_LANGUAGE = 0.5;
/** What `drop_result` keeps of an output by default. */
const HEAD_CHARS = 300;

/** Sums over sessions. */
interface Sums {
  sessions: number;
  needed: number;
  lost: string[];
  ended: number;
  endedDropped: number;
  endedFreed: number;
  own: number;
  ownDropped: number;
}

const chars = (text: string) => [...text].length;

/** Call id → output. */
function outputsOf({ request }: Joined): Map<string, string> {
  const outputs = new Map<string, string>();
  for (const { content } of request.messages) {
    for (const block of content as Block[]) {
      if (block.type === "tool_result") outputs.set(block.id as string, block.output as string);
    }
  }
  return outputs;
}

function add(sums: Sums, session: Session, joined: Joined, { decisions }: CompactionResult): void {
  const outputs = outputsOf(joined);
  sums.sessions++;
  sums.needed += joined.needed.size;
  for (const { call_id, action, applied, saved_chars } of decisions) {
    const size = chars(outputs.get(call_id) as string);
    const dropped = applied && action !== "keep";
    if (dropped && joined.needed.has(call_id)) sums.lost.push(`${session.name} ${call_id}`);
    if (joined.ended.has(call_id)) {
      sums.ended += size;
      if (dropped) {
        sums.endedDropped += size;
        sums.endedFreed += Math.min(size, saved_chars);
      }
    } else {
      sums.own += size;
      if (dropped) sums.ownDropped += size;
    }
  }
}

const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;
const line = (name: string, { sessions, needed, lost, ended, endedDropped, endedFreed, own, ownDropped }: Sums) =>
  `${name}: ${sessions} sessions, needed lost ${lost.length} of ${needed}, ended tasks dropped ${share(endedDropped, ended)} (freed ${share(endedFreed, ended)}), own task dropped ${share(ownDropped, own)}`;

describe("sessions in many languages", () => {
  it("are of three kinds and both ways to part words", () => {
    assert.ok(sessions.length >= 24);
    for (const kind of ["aba", "easy", "hard"]) assert.ok(sessions.some((session) => session.kind === kind));
    for (const script of ["spaced", "unspaced"])
      assert.ok(sessions.filter((session) => session.script === script).length >= 10);
  });

  it("hold candidates in ended tasks and in the running one", async () => {
    for (const session of sessions) {
      const { request, ended, own } = join(session);
      const { decisions } = await compactContext(request, localDecisionModel());
      const candidates = decisions.filter(({ keep_call }) => keep_call !== undefined).map(({ call_id }) => call_id);
      assert.equal(new Set(callsOf(request.messages).map(({ id }) => id)).size, ended.size + own.size, session.name);
      for (const calls of [ended, own])
        assert.ok(candidates.filter((id) => calls.has(id)).length >= 4, `${session.name} has several candidates`);
    }
  });

  it("need facts that stand beyond the kept head and that nobody has spoken", () => {
    const names = new Set(
      sessions.flatMap(({ parts }) => parts.flatMap((part) => ("member" in part ? part.member : []))),
    );
    for (const name of names) {
      const { messages, needed, facts, final } = memberOf(name);
      const spoken = JSON.stringify(
        messages.slice(0, final).map(({ content }) => content.map(({ text, input }) => [text, input])),
      );
      const said = messages.slice(final).flatMap(({ content }) => content.map(({ text }) => text));
      const outputs = messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_result"));
      assert.deepEqual(Object.keys(facts).sort(), [...needed].sort(), name);
      for (const [call, phrases] of Object.entries(facts)) {
        for (const phrase of phrases) {
          const holders = outputs.filter(({ output }) => (output as string).includes(phrase));
          assert.deepEqual(
            holders.map(({ id }) => id),
            [call],
            `${name} ${phrase}`,
          );
          const head = [...(holders[0]?.output as string)].slice(0, HEAD_CHARS).join("");
          assert.ok(!head.includes(phrase), `${name} ${phrase} is beyond the head`);
          assert.ok(!spoken.includes(JSON.stringify(phrase).slice(1, -1)), `${name} ${phrase} was not spoken`);
          assert.ok(
            said.some((text) => (text as string).includes(phrase)),
            `${name} ${phrase} is what the next step says`,
          );
        }
      }
    }
  });

  describe("the local model at its default point", () => {
    const total = sums();
    const byScript = new Map<string, Sums>();
    const byKind = new Map<string, Sums>();
    const byLanguage = new Map<string, Sums>();

    before(async () => {
      for (const session of sessions) {
        const joined = join(session);
        const result = await compactContext(joined.request, localDecisionModel());
        assert.deepEqual(violations(joined.request, result), [], session.name);
        add(total, session, joined, result);
        for (const [groups, key] of [
          [byScript, session.script],
          [byKind, session.kind],
          [byLanguage, session.language],
        ] as const) {
          const group = groups.get(key) ?? sums();
          groups.set(key, group);
          add(group, session, joined, result);
        }
      }
    });

    it("loses no needed result", (context) => {
      for (const groups of [byScript, byKind, byLanguage])
        for (const [name, group] of groups) context.diagnostic(line(name, group));
      context.diagnostic(line("total", total));
      assert.deepEqual(total.lost, []);
    });

    it("gives up the outputs of ended tasks", () => {
      assert.ok(total.endedDropped >= ENDED_FLOOR * total.ended, share(total.endedDropped, total.ended));
    });

    it("sees the end of a task in every language", () => {
      const low = [...byLanguage].filter(
        ([, { ended, endedDropped }]) => endedDropped < ENDED_FLOOR_PER_LANGUAGE * ended,
      );
      assert.deepEqual(
        low.map(([name, { ended, endedDropped }]) => `${name} ${share(endedDropped, ended)}`),
        [],
      );
    });
  });
});

function sums(): Sums {
  return { sessions: 0, needed: 0, lost: [], ended: 0, endedDropped: 0, endedFreed: 0, own: 0, ownDropped: 0 };
}
