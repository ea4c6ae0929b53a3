/** The options that the page shows. */
import type { Settings } from "./formats/format.js";

/** Defaults of the options that the page shows. */
export const DEFAULTS = {
  keep_call_threshold: 0.5,
  keep_result_threshold: 0.5,
  preserve_recent_messages: 6,
  truncate_head_chars: 300,
  truncate_tail_chars: 0,
};

export type ShownOption = keyof typeof DEFAULTS;
export type ThresholdName = "keep_call_threshold" | "keep_result_threshold";

/** The value of an option that counts. */
export function option(settings: Settings, name: ShownOption): number {
  const { options } = settings;
  const both = name.endsWith("threshold") ? options.keep_threshold : undefined;
  return options[name] ?? both ?? DEFAULTS[name];
}
