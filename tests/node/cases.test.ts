/** The cases made from public reports, and a runner that cannot be fooled. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ADAPTED } from "../cases/adapters.js";
import { type Report, runDirectory } from "../cases/runner.js";
import { root } from "../support/shared.js";

const FORMATS = ["agentscope", "any", ...ADAPTED];
const fixtures = join(root, "tests", "fixtures", "cases");
const folders: string[] = [];

async function reportsOf(directory: string): Promise<Report[]> {
  const reports: Report[] = [];
  for await (const report of runDirectory(directory, FORMATS)) reports.push(report);
  return reports;
}

/** Runs one case with changes. */
async function changed(name: string, change: (file: Record<string, unknown>) => void): Promise<Report[]> {
  const directory = mkdtempSync(join(tmpdir(), "keepline-cases-"));
  folders.push(directory);
  const file = JSON.parse(readFileSync(join(fixtures, `${name}.json`), "utf8"));
  change(file);
  writeFileSync(join(directory, `${name}.json`), JSON.stringify(file));
  return reportsOf(directory);
}

after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

describe("cases", () => {
  it("every one holds, with its variants", async () => {
    const reports = await reportsOf(fixtures);
    const failed = reports.filter(({ unmet }) => unmet.length > 0);
    assert.deepEqual(failed, []);
    const skipped = reports.flatMap(({ name, skipped }) => (skipped === undefined ? [] : [name.slice(0, 3)]));
    assert.deepEqual(skipped, ["064"]);
    const files = readdirSync(fixtures).filter((name) => {
      const { format } = JSON.parse(readFileSync(join(fixtures, name), "utf8")) as { format: string };
      return FORMATS.includes(format);
    });
    assert.ok(reports.length > files.length, "variants are counted");
  });

  const NAME = "022-short-output-makes-no-change";
  const unmetOf = async (change: (file: Record<string, unknown>) => void) =>
    (await changed(NAME, change)).flatMap(({ unmet }) => unmet);

  it("an expectation that does not hold fails", async () => {
    assert.match((await unmetOf((file) => (file.expect = [{ changed: true }]))).join(), /changed true: found false/);
    assert.match((await unmetOf((file) => (file.expect = [{ rejects: true }]))).join(), /rejects/);
    assert.match((await unmetOf((file) => (file.expect = [{ one_of: [{ changed: true }] }]))).join(), /one_of/);
    assert.match((await unmetOf((file) => (file.expect = [{ error_names: ["x"] }]))).join(), /cannot be checked/);
  });

  it("an unknown word, field, failure, step or description fails", async () => {
    assert.match((await unmetOf((file) => (file.expect = [{ frobs: 1 }]))).join(), /unknown word: frobs/);
    assert.match((await unmetOf((file) => (file.frobs = 1))).join(), /unknown field in the case: frobs/);
    assert.match((await unmetOf((file) => (file.answers = { frobs: 1 }))).join(), /unknown field in answers: frobs/);
    assert.match(
      (await unmetOf((file) => (file.expect = [{ host_can_detect: "the moon" }]))).join(),
      /unknown: host_can_detect/,
    );
    const described = (messages: string) => (file: Record<string, unknown>) =>
      Object.assign(file.request as object, { generator: { messages } });
    assert.match((await unmetOf(described("user 'Go.'; 3 assistant messages of blue"))).join(), /not understood/);
    assert.match((await unmetOf(described("a dog barks"))).join(), /not understood/);
    const steps = await changed("051-instance-survives-failures", (file) => {
      (file.request as { generator: { sequence: string[] } }).generator.sequence.push("dance");
    });
    assert.match(steps.flatMap(({ unmet }) => unmet).join(), /unknown step: dance/);
  });

  it("an unknown failure of the model fails", async () => {
    const reports = await changed("028-one-failed-batch-no-partial", (file) => {
      (file.answers as { failure: { kind: string } }).failure.kind = "sulk";
    });
    assert.match(reports.flatMap(({ unmet }) => unmet).join(), /unknown failure: sulk/);
  });
});
