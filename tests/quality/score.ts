/** Asks a decision model about labelled snapshots. */
import { compactContext, type DecisionModel, type LocalDecisionModel } from "keepline";
import { Pool, type Row } from "./measure.js";
import { exchangesOf, type LabelledSnapshot, length, requestOf } from "./session.js";

/** Code points that a shortened output keeps, and those of its marker. */
const KEPT = 380;

/** What a model said of the calls of a snapshot. */
export type Answers = Map<string, { keepCall: number; keepResult: number }>;

/** Every candidate's probabilities; a result that was not asked about counts as kept. */
export async function ask(
  snapshot: Pick<LabelledSnapshot, "messages" | "goal" | "recent">,
  model: DecisionModel | LocalDecisionModel,
): Promise<Answers> {
  const { decisions } = await compactContext(requestOf(snapshot), model, { shareUnchanged: true, countChars: false });
  const answers: Answers = new Map();
  for (const { call_id, keep_call, keep_result = 1 } of decisions)
    if (keep_call !== undefined) answers.set(call_id, { keepCall: keep_call, keepResult: keep_result });
  return answers;
}

/** The candidates of a snapshot with labels and answers, and the code points of all its outputs. */
export function rowsOf(snapshot: LabelledSnapshot, answers: Answers, group: number): { rows: Row[]; chars: number } {
  const exchanges = exchangesOf(snapshot.messages);
  const last = exchanges.at(-1) ? lastSegment(snapshot) : 0;
  let chars = 0;
  const rows = exchanges.flatMap(({ id, output, segment }, index): Row[] => {
    const size = length(output);
    chars += size;
    const answer = answers.get(id);
    if (!answer) return [];
    const recency = -Math.log(exchanges.length - index);
    const freed = Math.max(0, size - KEPT);
    const isOwn = snapshot.isOwn(id);
    return [
      {
        group,
        freed,
        isOwn,
        isNeeded: isOwn && snapshot.needed.has(id),
        isCallNeeded: snapshot.neededCalls.has(id),
        isMutating: snapshot.mutating.has(id),
        ...answer,
        recency,
        lastUser: (segment === last ? 0 : -100) + recency,
        size: -freed,
      },
    ];
  });
  return { rows, chars };
}

/** The number of the last part: user messages that hold text. */
function lastSegment({ messages }: LabelledSnapshot): number {
  return messages.filter(
    ({ role, content }) =>
      role === "user" && (typeof content === "string" || content.some(({ type }) => type === "text")),
  ).length;
}

/** Kinds of sessions that hold several tasks. */
const JOINED = new Set(["aba", "hard", "easy"]);

/** Pools of snapshots, by name. */
export class Pools {
  readonly pools = new Map<string, Pool>();
  private readonly groups = new Map<string, number>();

  /** The number of a group. */
  group(name: string): number {
    const known = this.groups.get(name) ?? this.groups.size;
    this.groups.set(name, known);
    return known;
  }

  /** Puts a snapshot into the pools that it belongs to. */
  add(snapshot: LabelledSnapshot, answers: Answers): void {
    const { id, kind, domain, candidates } = snapshot;
    if (candidates !== undefined && answers.size !== candidates)
      throw new Error(`${id}: ${answers.size} candidates instead of ${candidates}`);
    const group = this.group(snapshot.group);
    const { rows, chars } = rowsOf(snapshot, answers, group);
    for (const name of [`${kind} / ${domain}`, kind, JOINED.has(kind) ? "joined" : "one task"]) {
      const pool = this.pools.get(name) ?? new Pool();
      this.pools.set(name, pool);
      pool.add(rows, group, chars);
    }
  }
}
