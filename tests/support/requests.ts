/** Small requests. */
import type { CompactionOptions, CompactionRequest, Message } from "keepline";

/** Text of 800 characters. */
export const LONG = "berth 7 free 06:40; ".repeat(40);

export const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

/** One call of the tool `read` with its result. */
export const step = (id: string, output: unknown = LONG, input = JSON.stringify({ id })): Message => ({
  role: "assistant",
  content: [
    { type: "tool_call", id, name: "read", input, state: "finished" },
    { type: "tool_result", id, name: "read", output, state: "success" },
  ],
});

/** A request whose tool `read` is eligible and whose last message is protected. */
export function request(messages: Message[], options: CompactionOptions = {}): CompactionRequest {
  return {
    messages,
    goal: "Go on",
    eligible_tool_names: ["read"],
    options: { preserve_recent_messages: 1, ...options },
  };
}

/** A session of so many calls, one candidate a call. */
export function session(calls: number, options: CompactionOptions = {}): CompactionRequest {
  return request(
    [user("Go."), ...Array.from({ length: calls }, (_, index) => step(`c${index + 1}`)), user("Next.")],
    options,
  );
}

/** Options under which each request holds one candidate. */
export const limitsOfOne = { maxQuestions: 2 };
