/** The pages about message formats: each has one program, which prints what the page says. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { blocksOf, output } from "../support/programs.js";
import { root } from "../support/shared.js";

const names = readdirSync(join(root, "docs", "formats")).map((name) => name.replace(/\.md$/, ""));

describe("docs/formats", () => {
  it("has a page for each adapter of the package", () => {
    const { exports } = JSON.parse(readFileSync(join(root, "pkg", "package.json"), "utf8"));
    const adapters = readdirSync(join(root, "pkg", "src", "adapters")).filter((name) => name.endsWith(".ts"));
    assert.deepEqual(
      names.map((name) => `${name}.ts`),
      adapters,
    );
    for (const name of names) assert.ok(`./${name}` in exports, name);
  });

  for (const name of names) {
    it(`the program of ${name} prints what the page says`, () => {
      const [program, ...others] = blocksOf(`docs/formats/${name}.md`, "js");
      assert.deepEqual(others, []);
      const [printed] = blocksOf(`docs/formats/${name}.md`, "text");
      assert.equal(output(program as string, name), printed);
    });
  }
});
