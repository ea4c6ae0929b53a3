/** The local model gives the same bytes in every engine. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { writeBundle } from "../engines/bundle.js";
import { engines } from "../engines/engines.js";

describe("the local model's decisions are the same bytes in", { concurrency: false }, () => {
  let folder = "";
  let expected = "";
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "keepline-engines-"));
    await writeBundle(folder);
    expected = (await engines[0]?.run(folder)) ?? "";
    assert.match(expected, /^[1-9]\d{2,} decisions, [0-9a-f]{8}$/);
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const { name, missing, run } of engines.slice(1)) {
    it(name, { ...(missing ? { skip: missing } : {}), timeout: 120_000 }, async () => {
      assert.equal(await run(folder), expected);
    });
  }
});
