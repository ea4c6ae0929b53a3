/** The README's programs run, and say what the README says they do. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { blocksOf, output } from "../support/programs.js";
import { root } from "../support/shared.js";

const readme = readFileSync(join(root, "README.md"), "utf8");
const programs = blocksOf("README.md", "js");

describe("README", () => {
  it("the program with the embedded model decides about the one candidate", () => {
    assert.match(
      output(programs[0] as string, "readme-0"),
      /^list_files (keep|drop_result|drop_call) \w+ 0\.\d+ 0\.\d+\n2688 → \d+\n$/,
    );
  });

  it("the program with a decision model shortens, re-decides and restores", () => {
    assert.equal(output(programs[1] as string, "readme-1"), "drop_result\ndrop_call\ntrue\n");
    const [, left, total] = /\[… (\d+) of (\d+) characters left out/.exec(readme) as RegExpExecArray;
    assert.deepEqual([Number(total) - Number(left), Number(total)], [300, 36 * 60]);
  });

  it("has no other programs, and names only commands that exist", () => {
    assert.equal(programs.length, 2);
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const named = [...readme.matchAll(/npm (?:run )?([a-z]+)/g)].map(([, name]) => name as string);
    for (const name of named) assert.ok(name in scripts || ["and", "install"].includes(name), name);
  });
});
