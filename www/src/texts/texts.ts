/** The page's words by language. */
import type { en } from "./en.js";

export type Language = "en" | "zh";
export type Texts = typeof en;

/** Only the words of the language that is shown are loaded. */
export async function loadTexts(language: Language): Promise<Texts> {
  return language === "zh" ? (await import("./zh.js")).zh : (await import("./en.js")).en;
}
