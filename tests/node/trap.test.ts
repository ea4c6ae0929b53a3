/** A real trap: the module runs out of memory. The instance is dropped, its calls reject, and the next call starts afresh. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type * as Keepline from "keepline";
import { freshCopy } from "../support/copy.js";
import { request, session, step, user } from "../support/requests.js";
import { answering } from "../support/scripted.js";

const drop = answering(() => 0.1);

/** A number as wasm writes it. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) return bytes;
  }
}

function readLeb(bytes: Uint8Array, at: number): [value: number, next: number] {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] as number;
    value |= (byte & 127) << shift;
    if (byte < 128) return [value, at];
  }
}

/** The module with a limit to its memory: so many pages of 64 KiB more than it starts with. */
function withMemoryLimit(bytes: Uint8Array, morePages: number): Uint8Array<ArrayBuffer> {
  for (let at = 8; at < bytes.length; ) {
    const [size, start] = readLeb(bytes, at + 1);
    if (bytes[at] === 5) {
      const [pages] = readLeb(bytes, start + 2);
      assert.equal(bytes[start + 1], 0, "the memory has no limit of its own");
      const section = [1, 1, ...leb(pages), ...leb(pages + morePages)];
      return new Uint8Array([
        ...bytes.subarray(0, at),
        5,
        ...leb(section.length),
        ...section,
        ...bytes.subarray(start + size),
      ]);
    }
    at = start + size;
  }
  return assert.fail("the module has no memory");
}

async function limited(morePages: number): Promise<typeof Keepline> {
  const copy = await freshCopy();
  const bytes = await readFile(new URL("../../pkg/dist/keepline.wasm", import.meta.url));
  await copy.init(withMemoryLimit(bytes, morePages));
  return copy;
}

/** A history whose text does not fit. */
const tooLarge = request([user("x".repeat(8_000_000)), step("c1"), user("Next.")]);

describe("a module that traps", () => {
  it("rejects the call with internal, and the next call works", async () => {
    const keepline = await limited(16);
    const first = await keepline.compactContext(session(3), drop);
    for (let round = 0; round < 3; round++) {
      for (const model of [drop, keepline.localDecisionModel()]) {
        const error = await keepline.compactContext(tooLarge, model).catch((error: Keepline.CompactionError) => error);
        assert.ok(keepline.CompactionError.isInstance(error), "it should fail");
        assert.equal(error.code, "internal");
        assert.ok(!/unreachable|out of bounds|recursive use/.test(error.message), error.message);
        assert.ok(error.cause instanceof Error);
      }
      const next = await keepline.compactContext(session(3), drop);
      assert.deepEqual(next.decisions, first.decisions);
    }
  });

  it("rejects the calls in flight, aborts their requests, and ignores what comes late", async (context) => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", listen);
    process.on("uncaughtException", listen);
    context.after(() => {
      process.off("unhandledRejection", listen);
      process.off("uncaughtException", listen);
    });
    const keepline = await limited(16);
    let aborted = 0;
    let answer = () => {};
    const waiting = keepline.compactContext(session(2), (decision, { signal }) => {
      signal.addEventListener("abort", () => aborted++);
      return new Promise((resolve) => {
        answer = () => resolve(drop(decision, {} as never) as never);
      });
    });
    const outcome = waiting.catch((error: Keepline.CompactionError) => error);
    await sleep(5);
    await keepline.compactContext(tooLarge, drop).catch(() => {});
    const error = (await outcome) as Keepline.CompactionError;
    assert.deepEqual([error.code, aborted], ["internal", 1]);
    answer();
    await sleep(20);
    assert.deepEqual(unhandled, []);
    assert.equal((await keepline.compactContext(session(2), drop)).stats.actions.drop_call, 2);
  });

  it("a large history does not keep its memory: an idle large instance is dropped", async () => {
    const copy = await freshCopy();
    const large = request([user("y".repeat(40_000_000)), step("c1"), user("Next.")]);
    let previous = 0;
    for (let round = 0; round < 8; round++) {
      await copy.compactContext(large, drop, { shareUnchanged: true, countChars: false });
      global.gc?.();
      const now = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
      if (round === 3) previous = now;
    }
    const grown = process.memoryUsage().arrayBuffers + process.memoryUsage().external - previous;
    assert.ok(grown < 300e6, `grown by ${grown} bytes`);
  });
});
