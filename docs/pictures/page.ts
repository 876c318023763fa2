/** Screenshots of the page in the system's Chromium, light and dark. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium, type Page } from "playwright-core";
import { CHROMIUM } from "../../test/bin/web/chromium.ts";

export interface PagePicture {
  /** The file's name, without `-light.png` and `-dark.png`. */
  name: string;
  /** The address to open. */
  path: string;
  width: number;
  height: number;
  /** Brings the page to the state to capture. */
  steps(page: Page): Promise<void>;
}

export const PAGE_PICTURES: readonly PagePicture[] = [
  {
    name: "page-sessions",
    path: "/?q=double+tax",
    width: 1280,
    height: 800,
    async steps(page) {
      await page.locator(".hit").first().waitFor();
      await page.getByRole("slider").first().waitFor();
    },
  },
  {
    name: "page-session",
    path: "/?q=order+history+index",
    width: 1280,
    height: 860,
    async steps(page) {
      await page.locator(".result-title").first().click();
      await page
        .getByRole("navigation", { name: "Tree and files of this session" })
        .getByRole("link")
        .first()
        .waitFor();
      const calls = page.getByRole("button", { name: /tool calls/ }).filter({ hasText: "edit" });
      await calls.last().click();
      const call = page.locator(".transcript summary").filter({ hasText: "edit" }).last();
      // Calls that contain found words are already open.
      if (!(await call.evaluate((element) => element.closest("details")?.open))) await call.click();
      await page.locator(".transcript .diff").last().waitFor();
      await call.evaluate((element) => element.scrollIntoView({ block: "center" }));
      await page.mouse.move(0, 0);
    },
  },
  {
    name: "page-usage",
    path: "/usage?range=90d",
    width: 1280,
    height: 960,
    async steps(page) {
      await page.locator('main.usage[aria-busy="false"] .usage-grid').waitFor();
      await page.getByRole("heading", { name: "Costliest sessions" }).waitFor();
    },
  },
];

const PIDEX = join(import.meta.dirname, "..", "..", "dist", "bin", "pidex.js");

/** Takes screenshots of the built page. @returns PNG data by file name */
export async function takePages(
  pictures: readonly PagePicture[],
  { root, db, now }: { root: string; db: string; now: Date },
): Promise<Map<string, Buffer>> {
  if (!CHROMIUM) throw new Error("Chromium not found: install it, then run npm run build");
  const argv = [PIDEX, "serve", "--no-open", "--root", root, "--db", db];
  const server = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "ignore"] });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const taken = new Map<string, Buffer>();
  try {
    const [link] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
    const context = await browser.newContext({ timezoneId: "UTC", locale: "en-GB", reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.clock.setFixedTime(now);
    await page.goto(link);
    await page.getByText("up to date").waitFor(); // signed in
    for (const { name, path, width, height, steps } of pictures) {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await page.goto(new URL(path, link).href);
        await page.getByText("up to date").waitFor();
        await steps(page);
        taken.set(`${name}-${colorScheme}.png`, await page.screenshot({ caret: "hide" }));
      }
    }
  } finally {
    await browser.close();
    server.kill();
  }
  return taken;
}
