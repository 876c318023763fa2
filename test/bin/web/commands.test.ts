/** Commands: the palette, their keys, and the undo of changes. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

const TITLES = ["Fix the rounding", "Write the blog", "Move the shop"];

/** The page with three sessions, the newest first. */
async function opened(path = "/") {
  const cwd = temporaryFolder(); // sessions of a missing folder cannot be resumed
  const root = join(cwd, "sessions");
  const paths = TITLES.map((title, n) => {
    const timestamp = `2026-01-0${8 - n}T09:00:00.000Z`;
    const talk = session({ id: `id-${n}`, timestamp, cwd });
    return talk.user(title, { timestamp }).assistant("Done.", { timestamp }).writeUnder(root);
  });
  const permissions = ["clipboard-read", "clipboard-write"];
  const { page } = await openPage(await serveSynced(root), { path, permissions });
  await page.locator("#view main").first().waitFor();
  return { page, paths };
}

const palette = (page: Page) => page.getByRole("dialog", { name: "Commands" });
const field = (page: Page) => page.getByRole("combobox", { name: "Commands and sessions" });
const link = (page: Page, title: string) => page.getByRole("link", { name: title, exact: true });
const isFocused = (page: Page, title: string) =>
  link(page, title).evaluate((element) => element === document.activeElement);
const listed = (page: Page, expected: readonly string[]) =>
  page.waitForFunction(
    (all) =>
      JSON.stringify([...document.querySelectorAll(".result-title")].map((each) => each.textContent)) === all,
    JSON.stringify(expected),
  );
const message = (page: Page, text: string) => page.getByRole("status").getByText(text).waitFor();

describeInBrowser("the command palette", () => {
  test("Ctrl+K opens it, also from the search; Escape and Ctrl+K give the focus back", async () => {
    const { page } = await opened();
    await link(page, "Write the blog").focus();
    for (const closing of ["Escape", "Control+k"]) {
      await page.keyboard.press("Control+k");
      await palette(page).waitFor();
      expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await findViolations(page)).toEqual([]);
      await page.keyboard.press(closing);
      await palette(page).waitFor({ state: "hidden" });
      expect(await isFocused(page, "Write the blog")).toBe(true);
    }
    await page.getByRole("combobox", { name: "Search sessions" }).focus();
    await page.keyboard.press("Control+k");
    await palette(page).waitFor();
  });

  test("commands on the focused session have their keys, and run on it", async () => {
    const { page } = await opened();
    await link(page, "Write the blog").focus();
    await page.keyboard.press("Control+k");
    const archive = page
      .getByRole("group", { name: "Write the blog" })
      .getByRole("option", { name: "Archive" });
    expect(await archive.locator("kbd").textContent()).toBe("a");
    await field(page).fill("archv");
    await page.keyboard.press("Enter");
    await message(page, "Archived 1 session.");
    await listed(page, ["Fix the rounding", "Move the shop"]);
    await expect.poll(() => isFocused(page, "Move the shop")).toBe(true); // its successor
  });

  test("the arrow keys go through it in the order on the screen", async () => {
    const { page } = await opened();
    await link(page, "Write the blog").focus();
    await page.keyboard.press("p");
    await message(page, "Pinned 1 session.");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Move the shop" }).waitFor();
    const names = await page.locator(".palette-item").allTextContents();
    expect(names[0]).toContain("Open the session");
    expect(names.some((name) => name.startsWith("Undo"))).toBe(true);
    for (const name of names) {
      expect(await page.locator('.palette-item[aria-selected="true"]').textContent()).toBe(name);
      await page.keyboard.press("ArrowDown");
    }
    await page.keyboard.press("ArrowUp"); // from the first to the last
    expect(await page.locator('.palette-item[aria-selected="true"]').textContent()).toBe(names.at(-1));
  });

  test("without a session it has no commands on sessions", async () => {
    const { page } = await opened();
    await listed(page, TITLES);
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Go to Usage" }).waitFor();
    expect(await page.getByRole("option", { name: "Archive" }).count()).toBe(0);
    // Enter does not select all sessions: it opens the newest one.
    await page.getByRole("option", { name: TITLES[0] as string, selected: true }).waitFor();
    await page.getByRole("option", { name: "Select all sessions", selected: false }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("2");
    await page.waitForURL("**/usage");
  });

  test("letters of a title find a session, and other text is searched for", async () => {
    const { page } = await opened("/health");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Fix the rounding" }).waitFor(); // recent
    await field(page).fill("mvshop");
    await page.getByRole("option", { name: "Move the shop" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/session/id-2");
    await page.keyboard.press("Control+k");
    await field(page).fill("sonnet");
    await page.getByRole("option", { name: "claude-sonnet-4-5 model" }).click();
    await page.waitForURL("**/?model=anthropic%2Fclaude-sonnet-4-5");
    await listed(page, TITLES);
    await page.keyboard.press("Control+k");
    await field(page).fill("nowhere to be found");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/?q=nowhere*");
  });

  test("sets the theme", async () => {
    const { page } = await opened();
    await page.keyboard.press("Control+k");
    await field(page).fill("theme dark");
    await page.keyboard.press("Enter");
    await palette(page).waitFor({ state: "hidden" });
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  });
});

describeInBrowser("keys", () => {
  test("change the focused session of the list, and z undoes it", async () => {
    const { page } = await opened();
    await listed(page, TITLES);
    await page.keyboard.press("p"); // nothing has the focus
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("p");
    await message(page, "Pinned 1 session.");
    await listed(page, ["Write the blog", "Fix the rounding", "Move the shop"]);
    await page.keyboard.press("z");
    await message(page, "Unpinned 1 session.");
    await listed(page, TITLES);
    await link(page, "Move the shop").focus();
    await page.keyboard.press("r");
    await page.getByRole("textbox", { name: "Name of this session" }).fill("The till");
    await page.keyboard.press("Enter");
    await message(page, "Renamed 1 session.");
    await listed(page, ["Fix the rounding", "Write the blog", "The till"]);
    await page.keyboard.press("z");
    await listed(page, TITLES);
    await link(page, "Move the shop").focus();
    await page.keyboard.press("d");
    await page.keyboard.press("Enter"); // the button of the dialog has the focus
    await message(page, "Moved 1 session to trash.");
    await listed(page, TITLES.slice(0, 2));
    await page.keyboard.press("z");
    await listed(page, TITLES);
  });

  test("select all sessions, clear the selection and close the message", async () => {
    const { page } = await opened();
    const bar = page.getByRole("toolbar", { name: "Selected sessions" });
    await listed(page, TITLES);
    await page.keyboard.press("Control+a");
    await bar.getByText("3 sessions selected").waitFor();
    await page.keyboard.press("Escape");
    await bar.waitFor({ state: "hidden" });
    await page.keyboard.press("Control+a");
    await page.keyboard.press("p");
    await message(page, "Pinned 3 sessions.");
    await page.keyboard.press("Escape");
    await bar.getByText("3 sessions selected").waitFor({ state: "hidden" });
    await page.keyboard.press("Escape");
    await bar.waitFor({ state: "hidden" });
  });

  test("copy the id, the path and the resume command", async () => {
    const { page, paths } = await opened();
    await link(page, "Write the blog").focus();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.keyboard.press("i");
    await expect.poll(copied).toBe("id-1");
    await page.keyboard.press("Y");
    await expect.poll(copied).toBe(paths[1]);
    await page.keyboard.press("y");
    await expect.poll(copied).toContain(" --session ");
    await message(page, "Copied the resume command.");
  });

  test("change the open session, and the message undoes it", async () => {
    const { page } = await opened("/session/id-0");
    await page.getByRole("region", { name: "Transcript" }).waitFor();
    await page.getByText("⋯").waitFor();
    await page.keyboard.press("a");
    await message(page, "Archived.");
    const chip = page.locator(".session-facts").getByText("archived", { exact: true });
    await chip.waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await message(page, "Undone.");
    await chip.waitFor({ state: "hidden" });
    await page.keyboard.press("t");
    await page.getByRole("combobox", { name: "Find or create a tag" }).fill("tax");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.locator(".chip-tag", { hasText: "tax" }).waitFor();
    await page.keyboard.press("z");
    await page.locator(".chip-tag", { hasText: "tax" }).waitFor({ state: "hidden" });
    await message(page, "Undone.");
    await page.keyboard.press("Escape");
    await page.getByRole("status").getByText("Undone.").waitFor({ state: "hidden" });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.keyboard.press("Control+k");
    expect(await findViolations(page)).toEqual([]);
  });

  test("the arrow keys move in a menu", async () => {
    const { page } = await opened("/session/id-0");
    const more = page.getByText("⋯");
    await more.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    expect(await focused()).toBe("Pin");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await focused()).toBe("Move to trash…");
    await page.keyboard.press("Escape");
    expect(await more.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
