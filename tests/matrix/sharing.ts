/** Entry points share one engine: in a package that has lost its module, one that loads it by itself would fail. */
import { moduleOf } from "./bundlers.js";
import { without } from "./failures.js";
import type { Place } from "./places.js";
import { program } from "./programs.js";

const FORMAT = `import { compactMessages } from "keepline/openai-chat";`;

const USE = `const { reason } = await compactMessages([{ role: "user", content: "Go." }], { goal: "Go." }, localDecisionModel());
console.log(reason);`;

const shares = (name: string, imports: (file: string) => string): Place => ({
  name: `${name} shared with a format`,
  says: /^no_candidates$/,
  run: (project) =>
    without(project, (lost) => program(lost, "sharing.mjs", `${imports(moduleOf(project))}\n${USE}`, process.execPath)),
});

/** The pairs of entry points. */
export const sharing: readonly Place[] = [
  shares(
    "Node, keepline/slim",
    (file) => `${FORMAT}
import { readFileSync } from "node:fs";
import { init, localDecisionModel } from "keepline/slim";
await init(readFileSync(${JSON.stringify(file)}));`,
  ),
  shares("Node, keepline/inline", () => `import { localDecisionModel } from "keepline/inline";\n${FORMAT}`),
  shares("Node, later keepline/inline", () => `${FORMAT}\nimport { localDecisionModel } from "keepline/inline";`),
];
