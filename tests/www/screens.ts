/** Takes pictures of the main states into `out/www`, to be looked at: light and dark, wide and narrow. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "puppeteer-core";
import { root } from "../support/shared.js";
import { open, start } from "./browser.js";
import { serve } from "./serve.js";

const folder = join(root, "out", "www");

const click = (page: Page, selector: string) =>
  page.evaluate((selector) => document.querySelector<HTMLElement>(selector)?.click(), selector);

const STATES: Record<string, (page: Page) => Promise<unknown>> = {
  timeline: async () => undefined,
  pair: (page) => click(page, ".call-row.drop_call, .call-row.drop_result"),
  compare: (page) => click(page, "#tab-compare"),
  requests: (page) => click(page, "#tab-requests"),
  take: (page) => click(page, "#tab-take"),
};

async function shoot(browser: Browser, width: number, theme: "light" | "dark"): Promise<void> {
  for (const [state, reach] of Object.entries(STATES)) {
    const { page } = await open(browser, server.address + (state === "take" ? "#lang=zh" : ""), { width });
    await page.evaluate((theme) => {
      document.documentElement.dataset.theme = theme;
    }, theme);
    await reach(page);
    await new Promise((settled) => setTimeout(settled, 600));
    const fullPage = state !== "pair" && state !== "compare";
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
