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

/** What was done, in words. */
const LEADS: Readonly<Record<Action, [en: string, zh: string]>> = {
  keep: ["Kept", "保留"],
  drop_result: ["Output shortened", "缩短输出"],
  drop_call: ["Call removed", "移除调用"],
};

/** Reasons that a sentence names. */
const NAMED = 3;

/** Reads explanations one after the other; `rows` is flat (src/wasm/convert.rs). */
export function explanationReader(rows: Float64Array, codes: readonly string[]): (action: Action) => Explanation {
  let at = 0;
  return (action) => {
    const row = rows.subarray(at, at + 4 + 3 * codes.length);
    at += row.length;
    const result = readSum(row, codes, 0);
    const call = readSum(row, codes, 1);
    const cut = { head_chars: row[2] as number, tail_chars: row[3] as number };
    return { result, call, cut, sentence: sentence(action, result, call) };
  };
}

function readSum(row: Float64Array, codes: readonly string[], side: 0 | 1): ExplainedSum {
  const base = row[side] as number;
  let z = base;
  const factors: ExplainFactor[] = [];
  for (let index = 0; index < codes.length; index++) {
    const contribution = row[5 + 3 * index + side] as number;
    if (contribution === 0) continue;
    z += contribution;
    factors.push({ code: codes[index] as ExplainCode, value: row[4 + 3 * index] as number, contribution });
  }
  factors.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  return { z, base, factors };
}

/** The reasons that spoke for what was done, most important first. */
function sentence(action: Action, result: ExplainedSum, call: ExplainedSum): Explanation["sentence"] {
  const { factors } = action === "drop_call" ? call : result;
  const wanted = action === "keep" ? 1 : -1;
  const phrases = factors
    .filter(({ contribution }) => contribution * wanted > 0)
    .slice(0, NAMED)
    .map(({ code, value, contribution }) => PHRASES[code](value, contribution));
  if (phrases.length === 0) phrases.push(["nothing speaks clearly against it", "没有明显理由删去"]);
  const [leadEn, leadZh] = LEADS[action];
  return {
    en: `${leadEn}: ${phrases.map(([en]) => en).join("; ")}.`,
    zh: `${leadZh}：${phrases.map(([, zh]) => zh).join("；")}。`,
  };
}
