/** Every view of the page over sessions that try to run something, load something, lead somewhere or look like the page. */
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../temporary.ts";
import { type Browsing, browsing, inBrowser } from "./browser.ts";
import { ODD_IDS, THEIRS, writeHostileRoot } from "./hostile-root.ts";
import { servedSynced } from "./synced.ts";

/** What of a page could be theirs: elements, attributes and addresses that we make none of, and what their scripts do. */
const SUSPECTS = `({
  elements: [...document.querySelectorAll(
    ".${THEIRS}, script:not([src^='/assets/']), iframe, object, embed, base, frame, form[action], meta[http-equiv]:not([http-equiv=Content-Security-Policy]), body style, use, foreignObject",
  )].map((element) => element.outerHTML.slice(0, 200)),
  handlers: [...document.querySelectorAll("*")].flatMap((element) =>
    [...element.attributes].filter(({ name }) => /^on|^srcdoc$|^formaction$/.test(name)).map(({ name }) => element.tagName + " " + name)),
  addresses: [...document.querySelectorAll("[href], [src]")]
    .map((element) => element.getAttribute("href") ?? element.getAttribute("src"))
    .filter((address) => !/^(\\/(?!\\/)|#view$|https?:|mailto:|data:image\\/(png|jpeg|gif|webp);)/.test(address)),
  styles: [...document.querySelectorAll("[style]")].map(({ style }) => style.cssText).filter((text) => /url|expression|@|\\/\\//.test(text)),
  marks: [window.hostile, Object.prototype.hostile, document.title === "hostile" || undefined].filter((mark) => mark !== undefined),
})`;
const NOTHING = { elements: [], handlers: [], addresses: [], styles: [], marks: [] };

async function expectHarmless(page: Page, where: string): Promise<void> {
  expect([where, await page.evaluate(SUSPECTS)]).toEqual([where, NOTHING]);
}

/** Paths that the page may ask for. */
const KNOWN =
  /^\/(?:$|assets\/[\w.-]+$|icon\.svg$|(?:session|usage|health)(?:\/[^/]*)?$|api\/(?:list|search|scan|facets|complete|session|candidates|outline|entries|previews|hits|image|usage|usage\.csv|spend|doctor|problems|line|changes)$)/;

/** What the page did that nobody asked it to. */
function watched({ page, served, complaints }: Browsing) {
  const odd: string[] = [];
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
    /** A picture that is none is not found, which browsers say as loudly as anything: of those only. */
    forgivePictures(count: number) {
      const missing = complaints.filter((one) => /^Failed to load resource: .* 404 /.test(one));
      expect(missing.length).toBeLessThanOrEqual(count);
      complaints.splice(0, complaints.length, ...complaints.filter((one) => !missing.includes(one)));
    },
  };
}

const scroller = (page: Page) => page.getByRole("region", { name: "Transcript" });

/** Opens whatever is folded among what is drawn. */
const unfold = (page: Page) =>
  page.evaluate(() => {
    for (const fold of document.querySelectorAll<HTMLDetailsElement>("main details:not([open])"))
      fold.open = true;
  });

/** Goes through a transcript from its end to its beginning, with everything unfolded. */
async function readThrough(page: Page, name: string, last = 400): Promise<void> {
  await page.locator(".row").first().waitFor();
  await scroller(page).hover();
  await page.mouse.wheel(0, -1);
  for (let step = 0; step < last; step++) {
    await page.waitForFunction(() => !document.querySelector(".row [aria-busy=true], .row-waiting"));
    await unfold(page);
    await expectHarmless(page, `${name} ${step}`);
    const top = await scroller(page).evaluate((element) => {
      const before = element.scrollTop;
      element.scrollTop = Math.max(0, before - 4 * element.clientHeight);
      return before;
    });
    if (top === 0) return;
  }
}

inBrowser("the page, over hostile sessions", () => {
  test("is moved by nothing that they say, in any view", async () => {
    const root = join(temporaryFolder(), "sessions");
    const { count } = writeHostileRoot(root);
    const browsed = await browsing(await servedSynced(root));
    const { page, served } = browsed;
    const seen = watched(browsed);
    const titles = page.locator(".result-title");
    const search = page.getByRole("combobox", { name: "Search sessions" });
    const found = () => page.waitForSelector('.results[aria-busy="false"]');

    await found();
    await expect.poll(() => titles.count()).toBe(count);
    await expectHarmless(page, "all sessions");

    for (const query of [
      "script",
      "odd number",
      "is:error",
      "tool:__proto__",
      "role:constructor",
      "re:hostile|onload",
    ]) {
      await search.fill(query);
      await page.waitForFunction((q) => new URL(location.href).searchParams.get("q") === q, query);
      await found();
      await expect.poll(() => titles.count()).toBeGreaterThan(0);
      await expectHarmless(page, query);
    }
    for (const field of ["project:", "tag:", "tool:"]) {
      await search.fill("");
      await search.pressSequentially(field);
      await page.locator(".completion").first().waitFor();
      await expectHarmless(page, field);
    }
    // Every session is opened where its link says, whatever it is called.
    await page.goto(served.origin);
    await found();
    await expect.poll(() => titles.count()).toBe(count);
    const links = await titles.evaluateAll((all) =>
      all.map((one) => [one.getAttribute("href") ?? "", one.textContent ?? ""]),
    );
    const odd = links.filter(([, title = ""]) => title.startsWith("odd number"));
    expect(odd).toHaveLength(ODD_IDS.length);
    for (const [href = "", title = ""] of odd) {
      await page.evaluate((to) => history.replaceState(null, "", to), "/");
      await page
        .locator(`a[href=${JSON.stringify(href)}]`)
        .first()
        .click();
      await page.locator(".row", { hasText: title }).waitFor();
      await expectHarmless(page, title);
      await page.goBack();
      await found();
    }
    await page.goto(`${served.origin}/session/hostile`);
    await readThrough(page, "hostile");
    expect(seen.odd).toEqual([]);
    seen.forgivePictures(30);
  });
});
