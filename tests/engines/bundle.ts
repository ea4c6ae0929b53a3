/** One bundle of the package, the probe and its histories for every engine. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { CompactionRequest, Message } from "keepline";
import { generate } from "../fixtures/gen-history.mjs";
import { root } from "../support/shared.js";

/** Sentences that every history gets, so that other scripts are read too. */
const SENTENCES = [
  "订单号A2024-1187的退款说明见《付款重试手册》第3节，库存表已更新。",
  "Артикул RK-7781 отправлен через Новая Почта, статус ЗАДЕРЖАН.",
  "品番ＸＲ５５００の在庫を確認してください。주문을 다시 확인하세요.",
  "Größe_max und São Paulo: l'élan naïf; رقم الطلب ١٢٣٤٥ تم شحنه.",
];

/** Histories made here once, because engines differ in the last digit of `Math.exp`. */
function requests(): CompactionRequest[] {
  return [1, 2, 3].map((seed) => {
    const history = generate({ calls: 40 * seed, targetBytes: 160_000 * seed, seed });
    let spoken = 0;
    const speak = (message: Message): Message => {
      if (message.role !== "user" || !Array.isArray(message.content)) return message;
      const text = SENTENCES[spoken++ % SENTENCES.length] as string;
      return { ...message, content: [...message.content, { type: "text", text }] };
    };
    return {
      messages: (history.messages as Message[]).map(speak),
      goal: `${history.goal} ${SENTENCES[0]}`,
      eligible_tool_names: history.eligible_tool_names,
    };
  });
}

/** Writes `probe.mjs` and `keepline.wasm` into a folder. */
export async function writeBundle(folder: string): Promise<void> {
  writeFileSync(join(folder, "requests.json"), JSON.stringify(requests()));
  writeFileSync(join(folder, "keepline.wasm"), readFileSync(join(root, "pkg", "dist", "keepline.wasm")));
  writeFileSync(
    join(folder, "entry.ts"),
    `import requests from "./requests.json";
import { probe } from ${JSON.stringify(join(root, "tests", "engines", "probe.ts"))};
export const run = (module) => probe(requests, module);
`,
  );
  await build({
    entryPoints: [join(folder, "entry.ts")],
    outfile: join(folder, "probe.mjs"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    alias: { keepline: join(root, "pkg", "src", "index.ts"), "#glue": join(root, ".build", "glue.mjs") },
    logLevel: "warning",
  });
}
