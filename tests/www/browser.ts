/** One way to drive both browsers: puppeteer speaks Chromium's protocol and BiDi, which Debian's Firefox speaks. */
import { type Browser, launch, type Page } from "puppeteer-core";
import { type BrowserName, findBrowser } from "../engines/browsers.js";

/** Without what calls home. */
const QUIET = ["quic", "background-networking", "component-update", "sync"].map((what) => `--disable-${what}`);

/** Starts a browser, or says why it cannot. */
export async function start(name: BrowserName): Promise<Browser | { missing: string }> {
  const found = await findBrowser(name);
  if ("missing" in found) return found;
  const chromium = ["--no-sandbox", "--disable-gpu", "--no-first-run", ...QUIET];
  return launch({
    browser: name === "chromium" ? "chrome" : "firefox",
    executablePath: found.program,
    headless: true,
    ...(name === "chromium" && { args: chromium }),
  });
}

/** How a page is opened. */
export interface Look {
  width?: number;
  height?: number;
  dark?: boolean;
}

/** Opens an address and waits until the sample is compacted. What goes wrong in the page is collected. */
export async function open(
  browser: Browser,
  address: string,
  look: Look = {},
): Promise<{ page: Page; wrong: string[] }> {
  const page = await browser.newPage();
  const wrong: string[] = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  await page.setViewport({ width: look.width ?? 1280, height: look.height ?? 900 });
  await page.goto(address);
  await page.waitForFunction(() => document.querySelector("#share")?.textContent?.includes("%"));
  return { page, wrong };
}
