/** Every view of the page with sessions that try to run scripts, load resources, navigate or imitate the page. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pidexAt } from "../cli.ts";
import { describeInBrowser, type OpenedPage, openPage } from "./browser.ts";
import { CHROMIUM } from "./chromium.ts";
import { ODD_IDS, writeHostileRoot } from "./hostile-root.ts";
import { serve, type TestServer } from "./serve.ts";
import { expectHarmless, NOTHING, SUSPECTS } from "./suspects.ts";

/** Exports have an inline style, and links within the page. */
const EXPORT_SUSPECTS = SUSPECTS.replace(", body style", "").replace("#view$", "#line-");

/** Paths that the page may request. */
const KNOWN =
  /^\/(?:$|assets\/[\w.-]+$|icon\.svg$|(?:session|usage|insights|health|trash)(?:\/[^/]*)?$|api\/(?:list|search|scan|facets|complete|session|candidates|unmatched|outline|entries|previews|hits|calls|edits|image|usage|insights|usage\.csv|spend|budgets|commits|handoff|doctor|problems|line|trashed|changes|forks|export|source)$)/;

/** Records unexpected requests, dialogs, popups and downloads. */
function watched({ page, served, complaints }: OpenedPage) {
  const odd: string[] = [];
  let pictures = 0;
  page.on("response", (response) => {
    if (response.status() === 404 && new URL(response.url()).pathname === "/api/image") pictures++;
  });
  page.on("dialog", (dialog) => {
    odd.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("popup", (popup) => odd.push(`popup ${popup.url()}`));
  page.on("download", (download) => odd.push(`download ${download.url()}`));
  page.on("request", (request: Request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin !== served.origin || !KNOWN.test(pathname) || request.method() !== "GET")
      odd.push(`${request.method()} ${request.url()}`);
  });
  return {
    odd,
    /** Removes the errors that the browser logs for invalid images, and no others. */
    forgivePictures() {
      const missing = complaints.filter((one) => /^Failed to load resource: .* 404 /.test(one));
      expect(missing.length).toBeLessThanOrEqual(pictures);
      complaints.splice(0, complaints.length, ...complaints.filter((one) => !missing.includes(one)));
    },
  };
}

const scroller = (page: Page) => page.getByRole("region", { name: "Transcript" });

/** Expands all rendered elements. */
const unfold = (page: Page, within: string) =>
  page.evaluate((folds) => {
    for (const fold of document.querySelectorAll<HTMLDetailsElement>(folds)) fold.open = true;
  }, `${within} details:not([open])`);

/** A session opens at its beginning. */
async function goToEnd(page: Page): Promise<void> {
  await page.keyboard.press("G");
  const isAtEnd = (element: Element) => element.scrollTop + element.clientHeight >= element.scrollHeight - 2;
  await expect.poll(() => scroller(page).evaluate(isAtEnd)).toBe(true);
}

/** Scrolls through a transcript from its end to its beginning, with everything expanded. */
async function readThrough(page: Page, name: string, last = 400): Promise<void> {
  await page.locator(".row").first().waitFor();
  await goToEnd(page);
  await scroller(page).hover();
  await page.mouse.wheel(0, -1);
  for (let step = 0; step < last; step++) {
    await page.waitForFunction(() => !document.querySelector(".row [aria-busy=true], .row-waiting"));
    await unfold(page, ".transcript");
    await expectHarmless(page, `${name} ${step}`);
    const top = await scroller(page).evaluate((element) => {
      const before = element.scrollTop;
      element.scrollTop = Math.max(0, before - 8 * element.clientHeight);
      return before;
    });
    if (top === 0) return;
  }
  throw new Error(`did not reach the beginning of ${name}`);
}

let folder = "";
let root = "";
let count = 0;
let server: TestServer;
let end = async () => {};

beforeAll(async () => {
  if (!CHROMIUM) return;
  folder = mkdtempSync(join(tmpdir(), "pidex-hostile-"));
  root = join(folder, "sessions");
  ({ count } = writeHostileRoot(root));
  await pidexAt(root, folder)(["index"]);
  const atEnd = (stop: () => Promise<void>) => {
    end = stop;
  };
  server = await serve(root, { db: join(folder, "index.db"), atEnd });
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

const titles = (page: Page) => page.locator(".result-title");
const found = (page: Page) => page.waitForSelector('.results[aria-busy="false"]');

describeInBrowser("hostile sessions", () => {
  test("are displayed as text in results and completions", async () => {
    const browsed = await openPage(server);
    const { page } = browsed;
    const seen = watched(browsed);
    const search = page.getByRole("combobox", { name: "Search sessions" });
    await found(page);
    await expect.poll(() => titles(page).count()).toBe(count);
    await expectHarmless(page, "all sessions");
    for (const query of ["script", "tool:__proto__", "role:constructor", "re:hostile|onload"]) {
      await search.fill(query);
      await page.waitForFunction((q) => new URL(location.href).searchParams.get("q") === q, query);
      await found(page);
      await expect.poll(() => titles(page).count()).toBeGreaterThan(0);
      await expectHarmless(page, query);
    }
    for (const field of ["project:", "tag:", "tool:"]) {
      await search.fill("");
      await search.pressSequentially(field);
      await page.locator(".completion").first().waitFor();
      await expectHarmless(page, field);
    }
    expect(seen.odd).toEqual([]);
  });

  test("are displayed as text in the filters, which find sessions with their values", async () => {
    const browsed = await openPage(server);
    const { page } = browsed;
    const seen = watched(browsed);
    for (const name of ["Project", "Model", "Tag"]) {
      const facet = page.getByRole("region", { name, exact: true });
      await facet.getByRole("button").first().waitFor();
      const more = facet.getByRole("button", { name: / more$/ });
      if ((await more.count()) > 0) await more.click();
      const values = facet.locator(".facet-value");
      expect(await values.count()).toBeGreaterThan(0);
      for (let n = 0; n < Math.min(6, await values.count()); n++) {
        await values.nth(n).click();
        const chosen = facet.locator(".facet-value[aria-pressed=true]");
        await chosen.waitFor();
        await found(page);
        await expectHarmless(page, `${name} ${n}`);
        await chosen.click();
        await chosen.waitFor({ state: "detached" });
        await found(page);
      }
    }
    const tag = "<img src=x onerror=alert(1)>";
    await page.goto(`${server.origin}/?${new URLSearchParams({ tags: tag, cwd: tag, model: tag })}`);
    await found(page);
    await expectHarmless(page, "an address with hostile filters");
    expect(await page.locator(".facet-value[aria-pressed=true] .facet-name").allInnerTexts()).toEqual([
      tag,
      tag,
      tag,
    ]);
    expect(seen.odd).toEqual([]);
  });

  test("are printed as text, and their images open only if they are some", async () => {
    const browsed = await openPage(server, { path: "/session/hostile" });
    const { page } = browsed;
    const seen = watched(browsed);
    await page.locator(".row").first().waitFor();
    await page.evaluate(() => {
      (window as { prints?: number }).prints = 0;
      window.print = () => {
        (window as { prints?: number }).prints = 1;
      };
    });
    await page.keyboard.press("Control+p");
    await page.waitForFunction(() => (window as { prints?: number }).prints === 1);
    await page.emulateMedia({ media: "print" });
    await expectHarmless(page, "print");
    expect(await page.locator(".transcript-printed img[src^='data:image/svg']").count()).toBe(0);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.locator(".transcript-printed").waitFor({ state: "detached" });
    for (const open of (await page.getByRole("button", { name: /image/i }).all()).slice(0, 5)) {
      if (!(await open.isVisible())) continue;
      await open.click();
      await expectHarmless(page, "an image");
      await page.keyboard.press("Escape");
    }
    expect(seen.odd).toEqual([]);
    seen.forgivePictures();
  });

  test("are opened by their links, whatever their ids are", async () => {
    const { page } = await openPage(server);
    await found(page);
    await expect.poll(() => titles(page).count()).toBe(count);
    const links = await titles(page).evaluateAll((all) =>
      all.map((one) => [one.textContent ?? "", one.getAttribute("href") ?? ""] as const),
    );
    const odd = links.filter(([title]) => title.startsWith("odd number"));
    expect(odd).toHaveLength(ODD_IDS.length);
    for (const [title, href] of odd) {
      const { pathname } = new URL(href, server.origin);
      const name = /^\/session\/([^/]+)$/.exec(pathname)?.[1] as string;
      const { session } = await server.json(`/api/session?session=${name}`);
      expect([href, session.firstMessage]).toEqual([href, title]);
    }
    for (const title of ["odd number 0", "odd number 1", "odd number 8"]) {
      await titles(page).getByText(title, { exact: true }).click();
      await page.locator(".row", { hasText: title }).waitFor();
      await expectHarmless(page, title);
      await page.goBack();
      await found(page);
    }
  });

  test("are displayed from end to beginning, expanded, in every branch, without effects", async () => {
    const browsed = await openPage(server, { path: "/session/hostile" });
    const { page } = browsed;
    const seen = watched(browsed);
    await page.locator(".tree-row").first().waitFor();
    await page.locator(".row .entry").first().waitFor();
    await goToEnd(page);
    await page.locator(".branch-point a").first().click();
    await page.locator(".row", { hasText: "Another way?" }).waitFor();
    await expectHarmless(page, "the other branch");
    await page.goBack();
    await readThrough(page, "hostile");
    await page.locator(".session-title button").click();
    expect(await page.getByRole("textbox", { name: "Name of this session" }).inputValue()).toContain(
      "<script",
    );
    await page.keyboard.press("Escape");
    await page.locator(".row-tool", { hasNotText: "Link" }).first().click({ force: true });
    await page.getByRole("dialog").waitFor();
    await expectHarmless(page, "a label");
    await page.keyboard.press("Escape");
    await page.getByLabel("More", { exact: true }).click();
    await page.getByRole("button", { name: "Tags…" }).click();
    await expectHarmless(page, "tags");
    await page.goto(`${server.origin}/session/prototypes`);
    await readThrough(page, "prototypes");
    await page.goto(`${server.origin}/session/starter`);
    await page.locator(".subagent summary").first().click();
    await page.locator(".subagent-entries .entry").first().waitFor();
    await expectHarmless(page, "a subagent");
    await page.goto(`${server.origin}/session/long`);
    await readThrough(page, "long");
    expect(seen.odd).toEqual([]);
    seen.forgivePictures();
  });

  test("are displayed as text in usage and health", async () => {
    const browsed = await openPage(server, { path: "/usage?range=all&by=model" });
    const { page } = browsed;
    const seen = watched(browsed);
    for (const by of ["model", "project", "tool"]) {
      if (by !== "model") await page.goto(`${server.origin}/usage?range=all&by=${by}`);
      await page.waitForSelector('main.usage[aria-busy="false"]');
      await expect.poll(() => page.getByRole("button", { name: /: table$/ }).count()).toBeGreaterThan(3);
      await expectHarmless(page, `charts by ${by}`);
      for (const button of await page.getByRole("button", { name: /: table$/ }).all()) await button.click();
      await expectHarmless(page, `tables by ${by}`);
    }
    await page.goto(`${server.origin}/health`);
    await page.locator(".file-problems").first().waitFor();
    await page.locator(".file-problems h3", { hasText: "no-json" }).waitFor();
    const broken = page.locator(".file-problems", { hasText: "no-json" });
    await broken.locator("summary").first().click();
    await broken.getByText("<script").first().waitFor();
    await expectHarmless(page, "health");
    expect(seen.odd).toEqual([]);
  });

  test("are exported as text", async () => {
    const { page, foreign } = await openPage(server, { path: "/health" });
    for (const id of ["prototypes", "fork <b>"]) {
      const file = join(folder, "export.html");
      const { exit } = await pidexAt(root, folder)(["export", id, "-o", file, "--force"]);
      expect(exit).toBe(0);
      const before = foreign.length;
      await page.goto(pathToFileURL(file).href);
      await unfold(page, "body");
      expect(foreign.splice(before)).toEqual([pathToFileURL(file).href]);
      expect([id, await page.evaluate(EXPORT_SUSPECTS)]).toEqual([id, NOTHING]);
    }
    const markdown = await pidexAt(root, folder)(["export", "prototypes", "--format", "md"]);
    expect([markdown.exit, markdown.out]).toEqual([0, expect.stringContaining("__proto__")]);
  });
});
