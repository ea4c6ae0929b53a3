import type { Action, ExplainCode, ExplainedSum, ExplainFactor, Explanation } from "./types.js";

/** A factor in words. */
type Phrase = (value: number, contribution: number) => [en: string, zh: string];

const percent = (share: number) => `${Math.round(share * 100)} %`;
// Not toLocaleString, which takes longer than all the rest.
const grouped = (value: number) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
const count = (value: number, one: string, many: string) => `${grouped(Math.round(value))} ${value === 1 ? one : many}`;

/** What each factor says. */
const PHRASES: Readonly<Record<ExplainCode, Phrase>> = {
  age: (calls) => [`${count(calls, "call", "calls")} ago`, `${calls} 次调用之前`],
  changes_since: (changes) => [
    `${count(Math.round(changes), "change", "changes")} since`,
    `之后有 ${Math.round(changes)} 次改动`,
  ],
  frees: (chars, contribution) =>
    contribution > 0
      ? [`frees only ${count(chars, "character", "characters")}`, `仅可释放 ${Math.round(chars)} 个字符`]
      : [`frees ${count(chars, "character", "characters")}`, `可释放 ${Math.round(chars)} 个字符`],
  input_chars: (chars) => [`an input of ${count(chars, "character", "characters")}`, `输入有 ${chars} 个字符`],
  list_result: () => ["a listing", "列表类结果"],
  mutating: () => ["it changes something", "该调用会改变状态"],
  names_path: () => ["it names a file", "输入提到文件"],
  repeated_later: (times) => [
    `the same call came ${count(times, "more time", "more times")}`,
    `之后又有 ${times} 次相同调用`,
  ],
  search_result: () => ["a search result", "搜索类结果"],
  superseded: (share) => [
    `a later output repeats ${percent(share)} of its lines`,
    `${percent(share)} 的行在之后的输出中重复`,
  ],
  topic_ended: (topic) => [
    `its part of the chat has ended (${percent(topic)} on topic)`,
    `所属话题已结束（相关度 ${percent(topic)}）`,
  ],
  unspoken_identifiers: (names) => [
    `${count(names, "name", "names")} that nobody has spoken of yet`,
    `${names} 个尚未提及的标识`,
  ],
};

/** What became of a pair. */
export interface Fate {
  action: Action;
  /** Whether anything changed. */
  applied: boolean;
  /** Whether the call stays with a note in place of its output. */
  stub: boolean;
}

/** What was done, in words. */
function lead({ action, applied, stub }: Fate): [en: string, zh: string] {
  if (action === "keep") return ["Kept", "保留"];
  if (!applied) return ["Not needed, but left as it is", "不再需要，但保持原样"];
  if (action === "drop_result") return ["Output shortened", "缩短输出"];
  return stub ? ["Output replaced by a note", "输出替换为标记"] : ["Call removed", "移除调用"];
}

/** Reasons that a sentence names. */
const NAMED = 3;

/** Reads explanations one after the other; `rows` is flat (src/wasm/convert.rs). Tells whether the cut is to be used. */
export function explanationReader(
  rows: Float64Array,
  codes: readonly string[],
): (fate: Fate) => { explain: Explanation; cuts: boolean } {
  let at = 0;
  return (fate) => {
    const row = rows.subarray(at, at + HEAD + 3 * codes.length);
    at += row.length;
    const result = readSum(row, codes, 0);
    const call = readSum(row, codes, 1);
    const cut = { head_chars: row[2] as number, tail_chars: row[3] as number };
    return { explain: { result, call, cut, sentence: sentence(fate, result, call) }, cuts: row[4] === 1 };
  };
}

/** Numbers before the terms. */
const HEAD = 5;

function readSum(row: Float64Array, codes: readonly string[], side: 0 | 1): ExplainedSum {
  const base = row[side] as number;
  let z = base;
  const factors: ExplainFactor[] = [];
  for (let index = 0; index < codes.length; index++) {
    const contribution = row[HEAD + 1 + 3 * index + side] as number;
    if (contribution === 0) continue;
    z += contribution;
    factors.push({ code: codes[index] as ExplainCode, value: row[HEAD + 3 * index] as number, contribution });
  }
  factors.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  return { z, base, factors };
}

/** The reasons that spoke for what was done, most important first. */
function sentence(fate: Fate, result: ExplainedSum, call: ExplainedSum): Explanation["sentence"] {
  const { factors } = fate.action === "drop_call" ? call : result;
  const wanted = fate.action === "keep" ? 1 : -1;
  const phrases = factors
    .filter(({ contribution }) => contribution * wanted > 0)
    .slice(0, NAMED)
    .map(({ code, value, contribution }) => PHRASES[code](value, contribution));
  if (phrases.length === 0)
    phrases.push(
      wanted > 0
        ? ["not enough speaks for dropping it", "没有足够的理由删去"]
        : ["not enough speaks for keeping it", "没有足够的理由保留"],
    );
  const [leadEn, leadZh] = lead(fate);
  return {
    en: `${leadEn}: ${phrases.map(([en]) => en).join("; ")}.`,
    zh: `${leadZh}：${phrases.map(([, zh]) => zh).join("；")}。`,
  };
}
