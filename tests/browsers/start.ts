/** One way to drive both browsers: puppeteer speaks Chromium's protocol and BiDi, which Debian's Firefox speaks. */
import { type Browser, launch, type Page } from "puppeteer-core";
import { type BrowserName, findBrowser } from "./find.js";

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

/** Does something with a page of a browser of its own. */
export async function withPage<T>(
  name: BrowserName,
  address: string,
  task: (page: Page) => Promise<T>,
): Promise<T | { missing: string }> {
  const browser = await start(name);
  if ("missing" in browser) return browser;
  try {
    const page = await browser.newPage();
    await page.goto(address);
    return await task(page);
  } finally {
    await browser.close();
  }
}
