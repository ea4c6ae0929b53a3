/** Settings in the address, so that they can be shared. Never data: no goal, no names, no keys, no addresses. */
import type { CompactionOptions, LocalPoint } from "keepline";
import type { Language } from "./texts/texts.js";

/** What the address says. */
export interface Shared {
  language?: Language;
  sample?: string;
  point?: LocalPoint;
  options: CompactionOptions;
}

const NUMBERS = [
  "keep_call_threshold",
  "keep_result_threshold",
  "preserve_recent_messages",
  "truncate_head_chars",
  "truncate_tail_chars",
  "min_result_chars",
  "min_saved_chars",
] as const;

const POINTS: readonly string[] = ["careful", "balanced", "firm"];

/** Reads the part after `#`. What it does not know it leaves out. */
export function readShared(hash: string): Shared {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const options: CompactionOptions = {};
  for (const name of NUMBERS) {
    const value = Number(fields.get(name) ?? Number.NaN);
    const isShare = name.endsWith("threshold");
    if (value >= 0 && (isShare ? value <= 1 : Number.isInteger(value) && value < 1e9)) options[name] = value;
  }
  if (fields.get("drop_call_mode") === "stub") options.drop_call_mode = "stub";
  const [language, point, sample] = ["lang", "point", "sample"].map((name) => fields.get(name));
  return {
    options,
    ...((language === "en" || language === "zh") && { language }),
    ...(point && POINTS.includes(point) && { point: point as LocalPoint }),
    ...(sample && /^[a-z-]{1,40}$/.test(sample) && { sample }),
  };
}

/** Writes it; the counterpart of {@link readShared}. */
export function writeShared({ language, sample, point, options }: Shared): string {
  const fields = new URLSearchParams();
  if (language) fields.set("lang", language);
  if (sample) fields.set("sample", sample);
  if (point && point !== "balanced") fields.set("point", point);
  for (const name of NUMBERS) if (options[name] !== undefined) fields.set(name, String(options[name]));
  if (options.drop_call_mode === "stub") fields.set("drop_call_mode", "stub");
  return `#${fields}`;
}
