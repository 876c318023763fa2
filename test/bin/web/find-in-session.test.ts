/** Finding a text in a session, in a real browser. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type Session, session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

async function opened(talk: Session, query = "") {
  const root = join(temporaryFolder(), "sessions");
  const path = talk.writeUnder(root);
  return { ...(await openPage(await serveSynced(root), { path: `/session/${talk.id}${query}` })), path };
}

/** Lines of text, one of which contains "needle". */
const haystack = (lines: number, at: number) =>
  Array.from({ length: lines }, (_, n) => (n === at ? `a needle in line ${n}` : `straw ${n}`)).join("\n");

/** 40 turns, every fourth with a match deep in a folded output, in grouped calls, or at the end of a long answer. */
function long(): Session {
  const talk = session({ id: "hay" });
  for (let turn = 1; turn <= 40; turn++) {
    const has = (kind: number) => (turn % 12 === kind ? 250 : -1);
    talk.user(`Question ${turn}?`);
    talk.tool("bash", { command: `make ${turn}` }, haystack(300, has(0)));
    talk.tool("read", { path: `${turn}.txt` }, haystack(300, has(4)));
    talk.assistant(`Answer ${turn}.\n\n${haystack(300, has(8)).replaceAll("\n", "\n\n")}`);
  }
  return talk;
}

/** Matches whose mark is the current one and completely on the screen. */
const shown = (page: Page) =>
  page.evaluate(() => {
    const box = document.querySelector(".transcript-scroller")?.getBoundingClientRect();
    return [...document.querySelectorAll("mark.mark-current")].map((mark) => {
      const { top, bottom, height } = mark.getBoundingClientRect();
      return height > 0 && box !== undefined && top >= box.top + 50 && bottom <= box.bottom - 50;
    });
  });
const counter = (page: Page) => page.locator(".transcript-hits");

async function expectHit(page: Page, text: string) {
  await expect.poll(() => counter(page).textContent()).toBe(text);
  await expect.poll(() => shown(page)).toEqual([true]);
  // Rows are measured as they appear: it stays on the screen.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await shown(page)).toEqual([true]);
}

describeInBrowser("find in session", () => {
  test("each match is brought to the screen, with a color of its own, wherever it is in its entry", async () => {
    const { page } = await opened(long());
    await page.locator(".row", { hasText: "Answer 40." }).waitFor();
    await page.keyboard.press("g");
    await page.locator(".row", { hasText: "Question 1?" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    for (let hit = 1; hit <= 10; hit++) {
      await expectHit(page, `${hit} of 10`);
      await page.keyboard.press("Enter");
    }
    await expectHit(page, "1 of 10");
    await page.keyboard.press("Shift+Enter");
    await expectHit(page, "10 of 10");
    // Hits in grouped calls opened groups: their rows are not new.
    expect(await page.getByRole("button", { name: /new entr/ }).count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
  });

  test("starts at or after what is on the screen, also while the text is typed", async () => {
    const { page } = await opened(long());
    await page.locator(".row", { hasText: "Answer 40." }).waitFor();
    for (let prompt = 0; prompt < 20; prompt++) await page.keyboard.press("[");
    await page.locator(".row-here", { hasText: "Question 21?" }).waitFor();
    await page.keyboard.press("Control+f");
    await page.keyboard.type("need");
    await expectHit(page, "6 of 10");
    await page.keyboard.type("le in line 250");
    await expectHit(page, "6 of 10");
    expect(await page.locator(".mark-current").textContent()).toBe("needle in line 250");
  });

  test("steps through the matches of an entry before the next entry, in both directions", async () => {
    const talk = session({ id: "many" }).user("first: needle");
    talk.assistant(`${haystack(200, 50)}\n\n${haystack(200, 150)}`).user("last: needle");
    const { page } = await opened(talk, "?find=needle");
    await expectHit(page, "1 of 4");
    const colors = () =>
      page.locator("mark").evaluateAll((all) => all.map((mark) => getComputedStyle(mark).backgroundColor));
    await page.keyboard.press("n");
    await expectHit(page, "2 of 4");
    await page.keyboard.press("n");
    await expectHit(page, "3 of 4");
    expect(new Set(await colors()).size).toBe(2);
    await page.keyboard.press("n");
    await expectHit(page, "4 of 4");
    await page.keyboard.press("Shift+N");
    await expectHit(page, "3 of 4");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findViolations(page)).toEqual([]);
    }
  });

  test("a part that was collapsed opens for its match; a filter leaves only hits that it shows", async () => {
    const talk = session({ id: "closed" }).user("needle");
    talk.tool("bash", { command: "make" }, haystack(300, 200)).assistant("No more.");
    const { page } = await opened(talk);
    const call = page.locator(".call > summary");
    await call.click();
    await call.click();
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    await expectHit(page, "1 of 2");
    await page.keyboard.press("Enter");
    await expectHit(page, "2 of 2");
    await page.getByRole("combobox", { name: "Show" }).selectOption("prompts");
    await expect.poll(() => counter(page).textContent()).toBe("1 match");
  });

  test("a search without a position opens the first hit", async () => {
    const talk = session({ id: "found" }).user("Where is it?");
    talk.assistant(haystack(100, 80)).user("A needle?").assistant(haystack(100, -1));
    const { page } = await opened(talk, "?q=needle");
    await expectHit(page, "1 of 2 hits");
  });

  test("a query is stepped through by hits, as many as its list of results counts", async () => {
    const talk = session({ id: "hits" }).user(
      "The needle is in the hay, and the hay is full: a needle, a needle!",
    );
    talk.assistant("No needle.").user("Hay, then the needle?").assistant("A needle.");
    const { page, served } = await opened(talk, "?q=needle+the");
    await expectHit(page, "1 of 2 hits");
    await page.keyboard.press("n");
    await expectHit(page, "2 of 2 hits");
    await page.locator(".row-here", { hasText: "Hay, then the needle?" }).waitFor();
    await page.goto(`${served.origin}/?q=needle+the`);
    await page.locator(".hit mark").first().waitFor();
    expect(await page.locator(".hit").count()).toBe(2);
  });

  test("a hit among grouped calls is the current one as soon as the page opens", async () => {
    const talk = session({ id: "grouped" }).user("Go on.");
    for (let n = 0; n < 4; n++) talk.tool("bash", { command: `make ${n === 2 ? "needle" : n}` }, "ok");
    talk.user("And a needle?");
    const entry = talk.entries.find((each) => JSON.stringify(each).includes("make needle"));
    const { page } = await opened(talk, `?entry=${entry?.id}&q=needle`);
    await expectHit(page, "1 of 2 hits");
    await page.keyboard.press("n");
    await expectHit(page, "2 of 2 hits");
  });

  test("after going elsewhere by keys, the next hit is the one after that", async () => {
    const { page } = await opened(long(), "?find=needle");
    await expectHit(page, "1 of 10");
    await page.keyboard.press("Shift+G");
    await expect.poll(() => counter(page).textContent()).toBe("10 matches");
    await page.keyboard.press("Shift+N");
    await expectHit(page, "10 of 10");
  });

  test("counts all matches as they are displayed, each once, and highlights no others", async () => {
    const talk = session({ id: "counted" });
    talk.user("**needle** and needle, [needle](https://example.org/needle)"); // the address is not displayed
    // In its arguments and its output; the summary of the call repeats the argument.
    talk.tool("read", { path: "needle.txt" }, haystack(300, 200));
    talk.tool(
      "edit",
      { path: "a.txt", edits: [{ oldText: "a needle", newText: "two: needle needle" }] },
      "Done.",
    );
    for (let n = 0; n < 30; n++) talk.user(`Question ${n}?`).assistant(haystack(50, 20));
    const { page } = await opened(talk);
    await page.locator(".row", { hasText: "Question 29?" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    await expect.poll(() => counter(page).textContent()).toMatch(/^\d+ of 38$/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.locator(".row-here", { hasText: "needle and needle" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    for (let match = 1; match <= 38; match++) {
      await expectHit(page, `${match} of 38`);
      await page.keyboard.press("Enter");
    }
    await expectHit(page, "1 of 38");
    // On paper, nothing is marked.
    await page.emulateMedia({ media: "print" });
    const style = await page.locator(".mark-current").evaluate((mark) => {
      const { backgroundColor, outlineStyle, color } = getComputedStyle(mark);
      const around = getComputedStyle(mark.parentElement as Element).color;
      return { backgroundColor, outlineStyle, hasOwnColor: color !== around };
    });
    await page.emulateMedia({ media: null });
    expect(style).toEqual({ backgroundColor: "rgba(0, 0, 0, 0)", outlineStyle: "none", hasOwnColor: false });
  });

  test("the diff that the result of an edit has shows the matches of the call", async () => {
    const talk = session({ id: "edited" }).user("Go on.");
    const edits = [{ oldText: "straw", newText: "a muted needle" }];
    const details = { diff: "-1 straw\n+1 a muted needle" };
    talk.tool("edit", { path: "a.txt", edits }, "Successfully replaced text.", { details });
    const { page } = await opened(talk, "?q=muted+needle");
    await expectHit(page, "1 of 1 hit");
    expect(await page.locator(".diff mark").allTextContents()).toEqual(["muted", "needle"]);
  });

  test("without a match, nothing is highlighted, not even the words of the query", async () => {
    const talk = session({ id: "none" }).user("A needle.").assistant("Some straw, and `a` **needle**.");
    const { page } = await opened(talk, "?q=needle+tool:bash");
    await expect.poll(() => counter(page).textContent()).toBe("No hits");
    await page.locator(".row", { hasText: "Some straw" }).waitFor();
    expect(await page.locator("mark").count()).toBe(0);
    const next = page.getByRole("button", { name: /^Next (hit|match)$/ });
    const color = () => counter(page).evaluate((text) => getComputedStyle(text).color);
    expect(await next.isDisabled()).toBe(true);
    const noneColor = await color();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("/");
    await page.keyboard.type("a needle"); // in the first entry alone: in the second one, the words are apart
    await expect.poll(() => counter(page).textContent()).toBe("1 of 1");
    expect(await page.locator("mark").allTextContents()).toEqual(["A needle"]);
    expect(await next.isEnabled()).toBe(true);
    expect(await color()).not.toBe(noneColor);
    await page.getByRole("searchbox").fill("A Needle"); // case counts if there is an uppercase letter
    await expect.poll(() => counter(page).textContent()).toBe("No matches");
    expect(await page.locator("mark").count()).toBe(0);
  });

  test("more entries than are searched for at once are found, too, from where the user is", async () => {
    const talk = session({ id: "many" });
    for (let n = 0; n < 600; n++) talk.user(`needle ${n}`).assistant(`Two: needle, needle ${n}`);
    const { page } = await opened(talk);
    await page.locator(".transcript-scroller").waitFor();
    await page.keyboard.press("Shift+G");
    await page.locator(".row", { hasText: "Two: needle, needle 599" }).waitFor();
    for (let step = 0; step < 4; step++) await page.keyboard.press("[");
    await page.locator(".row-here", { hasText: "needle 596" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    await expectHit(page, "1,789 of 1,800");
    await page.keyboard.press("Enter");
    await expectHit(page, "1,790 of 1,800");
  });

  test("in a long session, the match below the user's place is there first, and those above are counted", async () => {
    const talk = session({ id: "far" }).user("needle at the beginning");
    for (let n = 0; n < 1300; n++) talk.user(`Question ${n}?`).assistant("It is so.");
    talk.user("a needle").user("the last needle");
    const { page } = await opened(talk);
    await page.locator(".transcript-scroller").waitFor();
    await page.keyboard.press("Shift+G");
    await page.locator(".row", { hasText: "the last needle" }).waitFor();
    await page.keyboard.press("[");
    await page.locator(".row-here", { hasText: "a needle" }).waitFor();
    // What all of the file contains is known only after the first match is shown.
    const release = Promise.withResolvers<void>();
    await page.route(/api\/hits.*all=true/, async (route) => {
      await release.promise;
      await route.continue();
    });
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    // One or both of those below: what 100 ms were enough for.
    await expect.poll(() => counter(page).textContent()).toMatch(/^[12]… matches$/);
    expect(await page.locator(".row-here").textContent()).toContain("a needle");
    release.resolve();
    await expectHit(page, "2 of 3");
    await page.keyboard.press("Enter");
    await expectHit(page, "3 of 3");
    await page.keyboard.press("Enter");
    await expectHit(page, "1 of 3");
  });

  test("a filter leads to the first entry that it selects; one of sessions selects none", async () => {
    const talk = session({ id: "failed", cwd: "/home/ada/shop" });
    for (let n = 0; n < 60; n++) talk.user(`Question ${n}?`).assistant("It is so.");
    talk.tool("bash", { command: "make" }, "No rule.", { isError: true }).user("And now?");
    const { page, served } = await opened(talk, "?q=is:error");
    await page.locator(".row-here", { hasText: "No rule." }).waitFor();
    expect(await counter(page).textContent()).toBe("1 of 1 hit");
    await page.goto(`${served.origin}/session/failed?q=project:shop`);
    await page.locator(".row", { hasText: "And now?" }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    expect(await page.locator(".transcript-hits, .row-here").count()).toBe(0);
  });
});
