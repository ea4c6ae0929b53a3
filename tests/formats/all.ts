/** The formats, in the order in which they are checked. */
import { agentscope } from "./agentscope.js";
import { aiSdkModel, aiSdkUi } from "./ai-sdk.js";
import { anthropic } from "./anthropic.js";
import type { FormatCheck } from "./format.js";
import { gemini } from "./gemini.js";
import { langchain } from "./langchain.js";
import { openaiChat } from "./openai-chat.js";
import { openaiResponses } from "./openai-responses.js";

export const FORMATS: readonly (() => Promise<FormatCheck>)[] = [
  agentscope,
  openaiChat,
  openaiResponses,
  anthropic,
  aiSdkModel,
  aiSdkUi,
  gemini,
  langchain,
];
