/** Opens the page as a user would. */
import type { Browser, Page } from "puppeteer-core";

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
