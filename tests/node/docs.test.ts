/** The pages about message formats: each has one program, which prints what the page says. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
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

describe("docs/models", () => {
  const models = readdirSync(join(root, "docs", "models")).map((name) => name.replace(/\.md$/, ""));

  it("has a page for each model of the package", () => {
    const { exports } = JSON.parse(readFileSync(join(root, "pkg", "package.json"), "utf8"));
    const paths = Object.keys(exports).filter((path) => path.startsWith("./models/"));
    assert.deepEqual(models.map((name) => `./models/${name}`).sort(), paths.sort());
  });

  it("has programs with the right types", () => {
    const folder = join(root, ".build", "model-programs");
    mkdirSync(folder, { recursive: true });
    const files = models.map((name) => {
      const [program, ...others] = blocksOf(`docs/models/${name}.md`, "ts");
      assert.deepEqual(others, []);
      writeFileSync(join(folder, `${name}.ts`), program as string);
      return `${name}.ts`;
    });
    const extending = join(root, "tests", "tsconfig.json");
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: extending, include: [], files }));
    const checked = spawnSync(join(root, "node_modules", ".bin", "tsc"), ["--noEmit", "-p", folder], {
      encoding: "utf8",
    });
    assert.equal(checked.stdout, "");
    assert.equal(checked.status, 0);
  });
});

for (const page of ["loops", "runtimes"]) {
  describe(`docs/${page}.md`, () => {
    const printed = blocksOf(`docs/${page}.md`, "text");
    blocksOf(`docs/${page}.md`, "js").forEach((program, index) => {
      it(`program ${index + 1} prints what the page says`, () => {
        assert.equal(output(program, `${page}${index}`), printed[index]);
      });
    });
  });
}
