/** Message formats: random histories against the validators, and the samples' views. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CompactionError } from "keepline";
import { FORMATS } from "../formats/all.js";
import { check } from "../formats/check.js";
import { corrupt } from "../formats/corrupt.js";
import { samples } from "../formats/format.js";
import { Random } from "../formats/random.js";
import { script, TOOLS } from "../formats/script.js";
import { answering } from "../support/scripted.js";

const drop = answering(() => 0);

const HISTORIES = 2000;
const read = (name: string) => JSON.parse(readFileSync(join(samples, name), "utf8"));

for (const make of FORMATS) {
  const format = await make();
  describe(format.name, () => {
    it("the view of the sample is the one written beside it", () => {
      const view = format.adapter.viewMessages(read(`${format.name}.json`));
      assert.deepEqual(JSON.parse(JSON.stringify(view)), read(`${format.name}.view.json`));
    });

    it("histories with anything wrong in them are compacted or refused, never more", async () => {
      for (let seed = 1; seed <= HISTORIES; seed++) {
        const random = new Random(seed);
        const { messages, runtime } = await format.write(script(random), random);
        const settings = { goal: "Go on", eligible_tool_names: TOOLS, options: { preserve_recent_messages: 1 } };
        const broken = corrupt(messages, random);
        try {
          await format.adapter.compactMessages(broken, settings, drop, { ...runtime, countChars: false });
        } catch (error) {
          assert.ok(CompactionError.isInstance(error), `seed ${seed}: ${(error as Error)?.stack}`);
          assert.equal(error.code, "invalid_request", `seed ${seed}: ${error.message} ${error.cause}`);
          // A constructor of the vendor may throw; nothing of ours does.
          const [, frame = ""] = error.cause instanceof TypeError ? `${error.cause.stack}`.split("\n    at ") : [];
          assert.ok(!frame.includes("pkg/src") && !frame.includes("pkg/dist"), `seed ${seed}: ${frame}`);
        }
      }
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
