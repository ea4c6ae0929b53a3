import { compactContext, localDecisionModel } from "keepline";
import { join, sessions } from "./support/joined.js";

const H = (c: string) => { let h = c.codePointAt(0)! * 2654435761 >>> 0; h ^= h >>> 15; return String.fromCharCode(97 + h % 26) + String.fromCharCode(97 + (h >>> 8) % 26); };
const cipher = (long: boolean) => (t: string) => t.normalize("NFC").replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|[\p{Script=Thai}]+/gu, (run) => {
  const c = [...run], k = run.match(/[\u0e00-\u0e7f]/) ? 4 : 2, o = []; for (let i = 0; i < c.length; i += k) o.push(c.slice(i, i + k).map((x) => long ? H(x) : H(x)[0]).join("")); return " " + o.join(" ") + " "; })
  .replace(/[\p{L}\p{M}]/gu, (c) => /[A-Za-z]/.test(c) ? c : /[\u00c0-\u024f\u1e00-\u1eff]/.test(c) ? c.normalize("NFD").replace(/[^A-Za-z]/g, "") || "x" : /\p{Script=Hangul}/u.test(c) ? H(c) : H(c)[0]!);
const deep = (f: (t: string) => string, x: any, k = ""): any => typeof x === "string" ? (["text", "output", "input", "goal"].includes(k) ? f(x) : x) : Array.isArray(x) ? x.map((y) => deep(f, y, k)) : x && typeof x === "object" ? Object.fromEntries(Object.entries(x).map(([a, b]) => [a, deep(f, b, a)])) : x;
const variants: [string, any, any][] = [["balanced", {}, "balanced"], ["ciphered", { f: cipher(false) }, "balanced"], ["ciphered long", { f: cipher(true) }, "balanced"], ["firm", {}, "firm"], ["ciphered firm", { f: cipher(false) }, "firm"], ["ciphered long firm", { f: cipher(true) }, "firm"]];
for (const [name, v, point] of variants) {
  let e = 0, ed = 0, lost = 0, own = 0, od = 0; const g: Record<string, number[]> = {}; let auc = 0, n = 0, aucr = 0;
  for (const s of sessions) {
    const j = join(s); const req: any = v.f ? deep(v.f, j.request) : { ...j.request };
    if (v.context_fill) req.context_fill = v.context_fill;
    if (v.starts) { let last = ""; req.task_starts = req.messages.filter((m: any) => { if (m.role !== "user") return false; const p = m.id[0]; const r = p !== last; last = p; return r; }).map((m: any) => m.id); }
    const r = await compactContext(req, localDecisionModel({ point }));
    const out = new Map<string, number>(); for (const m of req.messages) for (const b of m.content) if (b.type === "tool_result") out.set(b.id, [...b.output].length);
    const E = r.decisions.filter((d) => j.ended.has(d.call_id)), O = r.decisions.filter((d) => !j.ended.has(d.call_id) && d.keep_call !== undefined);
    for (const d of E) { const c = out.get(d.call_id)!; e += c; const x = (g[s.language] ??= [0, 0]); x[0] += c; if (d.action !== "keep" && d.applied) { ed += c; x[1] += c; } }
    for (const d of O) { const c = out.get(d.call_id)!; own += c; if (d.action !== "keep" && d.applied) { od += c; if (j.needed.has(d.call_id)) lost++; } }
    for (const a of E) for (const b of O) { n++; auc += a.keep_call! < b.keep_call! ? 1 : a.keep_call === b.keep_call ? 0.5 : 0; aucr += a.keep_result! < b.keep_result! ? 1 : a.keep_result === b.keep_result ? 0.5 : 0; }
  }
  console.log(name, "ended", (ed / e).toFixed(3), "own", (od / own).toFixed(3), "lost", lost, "AUC call", (auc / n).toFixed(3), "AUC result", (aucr / n).toFixed(3), Object.entries(g).map(([k, [a, b]]) => k + " " + (b / a).toFixed(2)).join(", "));
}
for (const s of sessions.slice(0, 1)) { const j = join(s); const r = await compactContext(j.request, localDecisionModel()); for (const d of r.decisions) console.log(d.call_id, d.tool, j.ended.has(d.call_id), d.keep_call?.toFixed(3), d.keep_result?.toFixed(3), d.action); }
