/** The page's words by language. */
import type { en } from "./en.js";
import type { enLate } from "./en-late.js";

export type Language = "en" | "zh";
/** Those of {@link enLate} are there once a view has asked for them. */
export type Texts = typeof en & typeof enLate;

/** Only the words of the language that is shown are loaded, and first only those that the page opens with. */
export async function loadTexts(language: Language): Promise<Texts> {
  const first = language === "zh" ? (await import("./zh.js")).zh : (await import("./en.js")).en;
  return first as Texts;
}

/** The rest of the words. */
export async function loadLateTexts(language: Language): Promise<typeof enLate> {
  return language === "zh" ? (await import("./zh-late.js")).zhLate : (await import("./en-late.js")).enLate;
}
