/** The header of a session in a real browser: the way back to the list, and its size. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

async function opened(path: string, viewport = { width: 1280, height: 800 }) {
  const root = join(temporaryFolder(), "sessions");
  const start = Date.parse("2026-01-05T09:00:00.000Z");
  for (let n = 0; n < 60; n++) {
    const draft = session({ id: `s${n}`, timestamp: new Date(start - n * 3_600_000).toISOString() });
    draft.user(`Question ${n} about ${n < 20 ? "kettles" : "pots"}`).assistant("It whistles.");
    draft.writeUnder(root);
  }
  return openPage(await serveSynced(root), { path, viewport });
}

describeInBrowser("session header", () => {
  test("leads back to the row, the position and the query of the list", async () => {
    const { page } = await opened("/?q=kettles");
    await page.locator(".result-title", { hasText: "Question 7 " }).click();
    await page.getByRole("link", { name: "Results" }).waitFor();
    await page.locator(".row", { hasText: "It whistles" }).waitFor();
    // Steps within the session do not count.
    await page.locator(".tree-row").first().click();
    await page.keyboard.press("j");
    await page.getByRole("link", { name: "Results" }).click();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe("Question 7 about kettles");
    expect(new URL(page.url()).search).toBe("?q=kettles");
    await page.keyboard.press("Enter");
    await page.locator(".row", { hasText: "It whistles" }).waitFor();
    await page.keyboard.press("u");
    await expect.poll(() => new URL(page.url()).pathname).toBe("/");
  });

  test("J and K go through the results, also beyond those that were loaded", async () => {
    const { page } = await opened("/?q=kettles&sort=newest", { width: 1280, height: 300 });
    await page.locator(".result-title", { hasText: "Question 0 " }).click();
    const place = page.locator(".back-place");
    const title = page.locator(".session-title");
    await expect.poll(() => place.textContent()).toBe("1 of 20");
    for (let n = 1; n < 20; n++) {
      await page.keyboard.press("Shift+J");
      await expect.poll(() => title.textContent()).toBe(`Question ${n} about kettles`);
    }
    await expect.poll(() => place.textContent()).toBe("20 of 20");
    expect(await page.getByRole("button", { name: "Next result" }).isDisabled()).toBe(true);
    await expect.poll(() => page.locator("mark").allTextContents()).toEqual(["kettles"]);
    await page.keyboard.press("Shift+K");
    await expect.poll(() => title.textContent()).toBe("Question 18 about kettles");
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("u");
    await expect.poll(() => new URL(page.url()).search).toBe("?q=kettles&sort=newest");
  });

  test("without a list behind it, the link leads to the sessions", async () => {
    const { page } = await opened("/session/s3?q=kettles");
    expect(await page.locator(".back-place").count()).toBe(0);
    await page.getByRole("link", { name: "Sessions" }).last().click();
    await expect.poll(() => new URL(page.url()).search).toBe("?q=kettles");
  });

  test("the other models of a session are named, and lead to their sessions", async () => {
    const root = join(temporaryFolder(), "sessions");
    const talk = session({ id: "two" }).user("Think.");
    talk.model("acme", "big-1").assistant("First.");
    talk.user("Again.").model("acme", "small-2").assistant("Second.").writeUnder(root);
    const { page } = await openPage(await serveSynced(root), { path: "/session/two" });
    const facts = page.locator(".session-facts");
    await facts.getByTitle("Sessions with small-2").waitFor();
    await facts.getByLabel("Other model: big-1").click();
    await facts.getByRole("link", { name: "big-1" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?model=acme%2Fbig-1");
  });

  test("the resume command looks disabled where it would fail, and a click or its key says why", async () => {
    const { page } = await opened("/session/s3"); // in a folder that does not exist
    const button = page.getByRole("button", { name: "Copy resume command" });
    await button.waitFor();
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    const why = /^Cannot resume here: the session's folder no longer exists: .*\. If the project moved, /;
    expect(await button.getAttribute("title")).toMatch(why);
    expect(await button.evaluate((element) => getComputedStyle(element).opacity)).toBe("0.45");
    await page.keyboard.press("y");
    await page.getByRole("status").getByText(why).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText(why).waitFor({ state: "detached" });
    await button.click({ force: true }); // Playwright does not click what looks disabled
    await page.getByRole("status").getByText(why).waitFor();
    await page.keyboard.press("Control+K");
    await page.getByText("Copy the resume command (cannot resume here)").waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  test("the resume command looks enabled where the folder exists", async () => {
    const root = join(temporaryFolder(), "sessions");
    session({ id: "here", cwd: temporaryFolder() }).user("Question").writeUnder(root);
    const { page } = await openPage(await serveSynced(root), { path: "/session/here" });
    const button = page.getByRole("button", { name: "Copy resume command" });
    await button.waitFor();
    expect(await button.getAttribute("aria-disabled")).toBe("false");
  });

  test("a cost has the precision of the list, and its exact amount in the tooltip", async () => {
    const root = join(temporaryFolder(), "sessions");
    const draft = session({ id: "cheap" }).user("Cheap?");
    draft.assistant("Yes.", { tokens: { input: 21_000, output: 187 } }).writeUnder(root);
    const { page } = await openPage(await serveSynced(root), { path: "/" });
    await expect.poll(() => page.locator(".result-cost").first().textContent()).toBe("$0.07");
    await page.locator(".result-title").click();
    const cost = page.locator(".session-facts li", { hasText: "$0.07" });
    expect(await cost.getAttribute("title")).toMatch(/^\$0\.065805; /);
  });

  test("on a phone, a long title has two lines", async () => {
    const root = join(temporaryFolder(), "sessions");
    session({ id: "long" }).user("Rename the columns of the ledger, ".repeat(6)).writeUnder(root);
    const phone = { width: 390, height: 844 };
    const { page } = await openPage(await serveSynced(root), { path: "/session/long", viewport: phone });
    const title = page.locator(".session-title-text");
    await title.waitFor();
    const lines = await title.evaluate(
      (text) => text.clientHeight / Number.parseFloat(getComputedStyle(text).lineHeight),
    );
    expect(Math.round(lines)).toBe(2);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test("on a phone, facts are whole, and a button shows those that do not fit", async () => {
    const root = join(temporaryFolder(), "sessions");
    const draft = session({ id: "facts", cwd: "/home/ada/a-project-with-a-name" }).user("Question?");
    draft.model("acme", "a-model-with-a-name").assistant("Yes.").writeUnder(root);
    const phone = { width: 390, height: 844 };
    const { page } = await openPage(await serveSynced(root), { path: "/session/facts", viewport: phone });
    const button = page.getByRole("button", { name: "Show all facts" });
    await button.waitFor();
    const facts = () =>
      page.locator(".session-facts").evaluate((list) => {
        const frame = list.getBoundingClientRect();
        return [...list.children].map((fact) => {
          const { left, right, top, bottom } = fact.getBoundingClientRect();
          const isVisible = top < frame.bottom - 2;
          return { isVisible, isWhole: left >= 0 && right <= frame.right && bottom <= frame.bottom + 2 };
        });
      });
    const closed = await facts();
    expect(closed.some(({ isVisible }) => !isVisible)).toBe(true);
    expect(closed.filter(({ isVisible, isWhole }) => isVisible && !isWhole)).toEqual([]);
    await button.click();
    expect((await facts()).every(({ isVisible, isWhole }) => isVisible && isWhole)).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Show fewer facts" }).click();
    await button.waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await button.waitFor({ state: "hidden" });
  });

  test("on a phone, header and bar take at most 120 pixels, also while finding", async () => {
    const { page } = await opened("/session/s3", { width: 390, height: 844 });
    await page.locator(".row", { hasText: "It whistles" }).waitFor();
    const height = () =>
      page.evaluate(() => {
        const top = document.querySelector(".session-header")?.getBoundingClientRect().top ?? 0;
        return (document.querySelector(".transcript")?.getBoundingClientRect().top ?? 999) - top;
      });
    expect(await height()).toBeLessThanOrEqual(120);
    await page.getByRole("searchbox").fill("whistles");
    await expect.poll(() => page.locator(".transcript-hits").textContent()).toBe("1 of 1");
    expect(await height()).toBeLessThanOrEqual(120);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.locator("summary", { hasText: "⋯" }).click();
    const copy = page.getByRole("button", { name: "Copy the resume command" });
    expect(await copy.getAttribute("aria-disabled")).toBe("true");
    await copy.click({ force: true }); // Playwright does not click what looks disabled
    // The folder of these sessions does not exist: the command would fail.
    await page.getByText(/^Cannot resume here: the session's folder no longer exists/).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("summary", { hasText: "⋯" }).click();
    await page.getByRole("button", { name: "Tree" }).click();
    await page.locator(".session-tree-open .tree-row").first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.mouse.click(380, 600); // beside it
    await page.locator(".session-tree-open").waitFor({ state: "detached" });
  });
});
