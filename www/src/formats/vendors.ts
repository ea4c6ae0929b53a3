/**
 * Messages of providers, loaded when a file needs them. The first that takes a document has it: those that cannot be mistaken for
 * another stand first.
 */
import { aiSdkModel, aiSdkUi } from "./ai-sdk.js";
import { anthropic } from "./anthropic.js";
import type { Format } from "./format.js";
import { gemini } from "./gemini.js";
import { langchain } from "./langchain.js";
import { openaiChat, spoken } from "./openai-chat.js";
import { openaiResponses } from "./openai-responses.js";

export const vendors: readonly Format[] = [
  gemini,
  aiSdkUi,
  langchain,
  openaiResponses,
  aiSdkModel,
  openaiChat,
  anthropic,
  spoken,
];
