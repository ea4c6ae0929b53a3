/** Takes pictures of the main states into `out/www`, to be looked at: light and dark, wide and narrow. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "puppeteer-core";
import { start } from "../browsers/start.js";
import { root } from "../support/shared.js";
import { open } from "./browser.js";
import { serve } from "./serve.js";

const folder = join(root, "out", "www");

const scenarios = join(root, "tests", "fixtures", "scenarios");

/** After everything that was started. */
const settled = (page: Page) => page.evaluate(() => new Promise((done) => setTimeout(done, 300)));

const click = (page: Page, selector: string) =>
  page.evaluate((selector) => document.querySelector<HTMLElement>(selector)?.click(), selector);

const STATES: Record<string, (page: Page) => Promise<unknown>> = {
  timeline: async () => undefined,
  pair: (page) => click(page, ".call-row.drop_call, .call-row.drop_result"),
  compare: (page) => click(page, "#tab-compare"),
  requests: (page) => click(page, "#tab-requests"),
  take: (page) => click(page, "#tab-take"),
  own: async (page) => {
    const { messages } = JSON.parse(readFileSync(join(scenarios, "replication-lag", "request.json"), "utf8"));
    await page.evaluate((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "my-session.json"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, JSON.stringify(messages));
  },
  fault: async (page) => {
    await click(page, ".kinds label:nth-of-type(3)");
    await settled(page);
    await page.evaluate((url) => {
      const field = document.querySelector("input[type=url]") as HTMLInputElement;
      field.value = url;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }, `${server.address}fail`);
    await settled(page);
    await click(page, ".card > .primary");
  },
  ask: async (page) => {
    await click(page, ".kinds label:nth-of-type(2)");
    await settled(page);
    await click(page, ".card > .primary");
  },
};

async function shoot(browser: Browser, width: number, theme: "light" | "dark"): Promise<void> {
  for (const [state, reach] of Object.entries(STATES)) {
    const { page } = await open(browser, server.address + (state === "take" ? "#lang=zh" : ""), { width });
    await page.evaluate((theme) => {
      document.documentElement.dataset.theme = theme;
    }, theme);
    await reach(page);
    await settled(page);
    await settled(page);
    const fullPage = !["pair", "compare", "ask", "fault"].includes(state);
    if (state === "compare") await page.evaluate(() => document.querySelector(".views")?.scrollIntoView());
    await page.screenshot({ path: join(folder, `${state}-${theme}-${width}.png`), fullPage });
    await page.close();
  }
}

mkdirSync(folder, { recursive: true });
const server = await serve(join(root, "www", "dist"));
const browser = await start("chromium");
if ("missing" in browser) throw new Error(browser.missing);
for (const width of [1280, 360]) for (const theme of ["light", "dark"] as const) await shoot(browser, width, theme);
await browser.close();
await server.stop();
console.log(folder);
