/** The page's words by language. */
import { en } from "./en.js";
import { zh } from "./zh.js";

export type Language = "en" | "zh";
export type Texts = typeof en;

export const texts: Readonly<Record<Language, Texts>> = { en, zh };
