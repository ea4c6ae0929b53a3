/** Message formats: random histories against the validators, and the samples' views. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { FORMATS } from "../formats/all.js";
import { check } from "../formats/check.js";
import { samples } from "../formats/format.js";

const HISTORIES = 2000;
const read = (name: string) => JSON.parse(readFileSync(join(samples, name), "utf8"));

for (const make of FORMATS) {
  const format = await make();
  describe(format.name, () => {
    it("the view of the sample is the one written beside it", () => {
      const view = format.adapter.viewMessages(read(`${format.name}.json`));
      assert.deepEqual(JSON.parse(JSON.stringify(view)), read(`${format.name}.view.json`));
    });

    it(`${HISTORIES} random histories stay valid and keep every promise`, async () => {
      let dropped = 0;
      for (let seed = 1; seed <= HISTORIES; seed++) {
        const checked = await check(format, seed);
        assert.deepEqual(checked.violations, [], `seed ${seed}`);
        dropped += checked.dropped;
      }
      assert.ok(dropped > HISTORIES / 10, `only ${dropped} calls were removed`);
    });
  });
}
