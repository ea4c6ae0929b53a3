/** Messages of LangChain.js as JSON: constructors, stored, flat. */
import * as adapter from "keepline/langchain";
import { mirroredCalls, otherOutput } from "../../../pkg/src/adapters/langchain/mirrors.js";
import { shapeOf } from "../../../pkg/src/adapters/langchain/shape.js";
import {
  callPiece,
  contentPieces,
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  nearly,
  plainPiece,
  resultPiece,
  textOf,
} from "./fields.js";
import type { Format, Piece } from "./format.js";
import { type Adapter, vendor } from "./vendor.js";

const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant" };
const TYPES = ["human", "ai", "system", "tool", "function", "generic", "remove", "user", "assistant", "developer"];

const contentOf = ({ content, content_blocks: blocks }: Fields): unknown => content ?? blocks;

function blockPiece(block: unknown): Piece {
  const { thinking, reasoning } = fieldsOf(block);
  const thought = thinking ?? reasoning;
  return typeof thought === "string" ? { kind: "thinking", text: thought } : plainPiece(block);
}

function callOf(value: unknown): Piece {
  const { id, name, args, function: wire } = fieldsOf(value);
  const { name: called, arguments: text } = fieldsOf(wire);
  return callPiece(id, name ?? called, args ?? text);
}

/** A call stands where the content repeats it first, as in the adapter. */
function answerPieces(fields: Fields): Piece[] {
  const content = contentOf(fields);
  const calls = listOf(fields.tool_calls).map((value) => fieldsOf(value) as { id: string; name: string });
  const rest = calls.map(callOf);
  const ids = mirroredCalls(listOf(content), calls);
  let position = 0;
  const take = (block: unknown): Piece => {
    const id = ids[position++];
    const place = typeof id === "string" ? rest.findIndex(({ call_id }) => call_id === id) : -1;
    const [call] = place < 0 ? [] : rest.splice(place, 1);
    if (call) return call;
    return id === undefined ? blockPiece(block) : { kind: "other", text: JSON.stringify(block) };
  };
  const spoken = contentPieces(content, take);
  const others = otherOutput(fields).map((item): Piece => ({ kind: "other", text: JSON.stringify(item) }));
  return [...spoken, ...others, ...rest];
}

function read(message: Fields): { role: string; pieces: Piece[] } {
  const { type, fields } = shapeOf(message);
  const content = contentOf(fields);
  if (type === "tool") return { role: "tool", pieces: [resultPiece(fields.tool_call_id, textOf(content))] };
  if (type === "ai") return { role: "assistant", pieces: answerPieces(fields) };
  const role = type === "generic" ? String(fields.role) : (ROLES[type] ?? type);
  return {
    role,
    pieces: type === "function" ? [{ kind: "other", text: textOf(content) }] : contentPieces(content, blockPiece),
  };
}

/** Where roles are as in Chat Completions, calls tell: theirs have arguments as objects. */
function isLangChain({ lc, kwargs, type, data, role, content, content_blocks, tool_calls }: Fields): boolean {
  if (lc === 1) return isObject(kwargs);
  const hasContent = content !== undefined || content_blocks !== undefined;
  if (typeof type === "string" && TYPES.includes(type)) return isObject(data) || hasContent;
  return role !== undefined && listOf(tool_calls).some((call) => "args" in fieldsOf(call));
}

const isFlat = ({ role }: Fields) => TYPES.includes(role as string);

export const langchain: Format = vendor(
  {
    id: "langchain",
    label: "LangChain.js",
    module: "keepline/langchain",
    isOurs: (messages) =>
      messages.some(isLangChain) && nearly(messages, (message) => isLangChain(message) || isFlat(message)),
    read,
  },
  adapter as unknown as Adapter,
);
