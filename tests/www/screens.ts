/** Takes pictures of the main states into `out/www`, to be looked at: light and dark, wide and narrow. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "puppeteer-core";
import { start } from "../browsers/start.js";
import { generate } from "../fixtures/gen-history.mjs";
import { root } from "../support/shared.js";
import { open } from "./browser.js";
import { histories } from "./histories.js";
import { serve } from "./serve.js";

const folder = join(root, "out", "www");

/** After everything that was started. */
const settled = (page: Page) => page.evaluate(() => new Promise((done) => setTimeout(done, 300)));

const click = (page: Page, selector: string) =>
  page.evaluate((selector) => document.querySelector<HTMLElement>(selector)?.click(), selector);

const drop = (page: Page, name: string, text: string) =>
  page.evaluate(
    (name, text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    },
    name,
    text,
  );

const large = JSON.stringify(generate({ calls: 4000, targetBytes: 25_000_000, seed: 3 }));

const STATES: Record<string, (page: Page) => Promise<unknown>> = {
  timeline: async () => undefined,
  pair: (page) => click(page, ".call-row.drop_call, .call-row.drop_result"),
  compare: (page) => click(page, "#tab-compare"),
  requests: (page) => click(page, "#tab-requests"),
  take: (page) => click(page, "#tab-take"),
  own: (page) => drop(page, "my-session.json", JSON.stringify(histories.anthropic)),
  done: async (page) => {
    await drop(page, "my-session.json", JSON.stringify(histories.anthropic));
    await settled(page);
    await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>(".setup .small")].slice(0, 2).forEach((button) => {
        button.click();
      }),
    );
  },
  empty: (page) =>
    drop(
      page,
      "talk.json",
      JSON.stringify([
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi." },
      ]),
    ),
  broken: (page) => drop(page, "notes.txt", "Dear diary"),
  loading: (page) => drop(page, "large.json", large),
  endpoint: (page) => click(page, ".kinds label:nth-of-type(3)"),
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

/** States that are wanted; by default all. */
const wanted = process.argv.slice(2);

async function shoot(browser: Browser, width: number, theme: "light" | "dark", language: "en" | "zh"): Promise<void> {
  for (const [state, reach] of Object.entries(STATES)) {
    if (wanted.length > 0 && !wanted.includes(state)) continue;
    const { page } = await open(browser, `${server.address}#lang=${language}`, { width });
    await page.evaluate((theme) => {
      document.documentElement.dataset.theme = theme;
    }, theme);
    await reach(page);
    // What lasts is caught while it lasts.
    if (state !== "loading") await settled(page);
    await settled(page);
    const fullPage = !["pair", "compare", "ask", "fault", "broken", "loading"].includes(state);
    if (state === "compare") await page.evaluate(() => document.querySelector(".views")?.scrollIntoView());
    await page.screenshot({ path: join(folder, `${state}-${theme}-${width}-${language}.png`), fullPage });
    await page.close();
  }
}

mkdirSync(folder, { recursive: true });
const server = await serve(join(root, "www", "dist"));
const browser = await start("chromium");
if ("missing" in browser) throw new Error(browser.missing);
for (const [width, theme, language] of [
  [1280, "light", "en"],
  [1280, "dark", "zh"],
  [360, "light", "zh"],
  [360, "dark", "en"],
] as const)
  await shoot(browser, width, theme, language);
await browser.close();
await server.stop();
console.log(folder);
