/** Several sessions selected in the results, and changed at once. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

const TITLES = ["One", "Two", "Three", "Four"];

/** The page with four sessions, the newest first. */
async function opened() {
  const root = join(temporaryFolder(), "sessions");
  const paths = TITLES.map((title, n) => {
    const timestamp = `2026-01-0${8 - n}T09:00:00.000Z`;
    const talk = session({ id: title.toLowerCase(), timestamp, cwd: `/home/ada/${n < 2 ? "shop" : "blog"}` });
    return talk.user(title, { timestamp }).writeUnder(root);
  });
  return { ...(await openPage(await serveSynced(root))), paths };
}

const row = (page: Page, title: string) => page.locator(".result", { hasText: title });
const check = (page: Page, title: string) => page.getByRole("checkbox", { name: `Select ${title}` });
const bar = (page: Page) => page.getByRole("toolbar", { name: "Selected sessions" });
const titles = (page: Page) => page.locator(".result-title").allTextContents();
const listed = (page: Page, expected: readonly string[]) =>
  page.waitForFunction(
    (all) =>
      JSON.stringify([...document.querySelectorAll(".result-title")].map((each) => each.textContent)) === all,
    JSON.stringify(expected),
  );

describeInBrowser("selected sessions", () => {
  test("have a bar of two lines on a phone", async () => {
    const { page } = await opened();
    await page.setViewportSize({ width: 390, height: 844 });
    await check(page, "One").click();
    await check(page, "Two").click();
    await bar(page).getByRole("button", { name: "Select all" }).waitFor();
    const box = await bar(page).boundingBox();
    expect(box?.height).toBeLessThan(100);
    const trash = await bar(page).getByRole("button", { name: "Move to trash…" }).boundingBox();
    expect((trash?.x ?? 0) + (trash?.width ?? 0)).toBeLessThan((box?.x ?? 0) + (box?.width ?? 0));
    await bar(page).getByRole("button", { name: "Clear selection" }).click();
    await bar(page).waitFor({ state: "detached" });
  });

  test("that are archived by a key leave the focus on the session after them", async () => {
    const { page } = await opened();
    await page.locator(".result-title", { hasText: "One" }).focus();
    for (const key of ["x", "j", "x", "a"]) await page.keyboard.press(key);
    await listed(page, ["Three", "Four"]);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Three");
  });

  test("are archived together, and restored by Undo", async () => {
    const { page } = await opened();
    await check(page, "One").click();
    await check(page, "Three").click({ modifiers: ["Shift"] });
    await bar(page).getByText("3 sessions selected").waitFor();
    // The keys work on, with the focus on a checkbox.
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await bar(page).getByText("4 sessions selected").waitFor();
    await page.keyboard.press("x");
    await bar(page).getByRole("button", { name: "Archive" }).click();
    await bar(page).getByText("Archived 3 sessions.").waitFor();
    await listed(page, ["Four"]);
    await bar(page).getByRole("button", { name: "Undo" }).click();
    await bar(page).getByText("Unarchived 3 sessions.").waitFor();
    await listed(page, TITLES);
    expect(await findViolations(page)).toEqual([]);
  });

  test("are compressed together, found by is:compressed, and decompressed by Undo", async () => {
    const { page, paths, served } = await opened();
    await check(page, "One").click();
    await check(page, "Two").click();
    await bar(page).getByRole("button", { name: "Compress" }).click();
    await bar(page)
      .getByText(/^Compressed 2 sessions: \d+ B freed\.$/)
      .waitFor();
    expect(paths.map((path) => [existsSync(path), existsSync(`${path}.zst`)])).toEqual([
      ...[
        [false, true],
        [false, true],
      ],
      ...[
        [true, false],
        [true, false],
      ],
    ]);
    await row(page, "One").getByText("compressed").waitFor();
    expect(await findViolations(page)).toEqual([]);
    const { sessions } = await served.json("/api/list?query=is%3Acompressed");
    expect(sessions.map(({ id }: { id: string }) => id)).toEqual(["one", "two"]);
    await bar(page).getByRole("button", { name: "Decompress" }).waitFor();
    await bar(page).getByRole("button", { name: "Undo" }).click();
    await bar(page).getByText("Decompressed 2 sessions.").waitFor();
    expect(paths.every((path) => existsSync(path))).toBe(true);
  });

  test("are tagged, and their tags narrow the list; x selects the focused row", async () => {
    const { page } = await opened();
    await row(page, "Two").getByRole("link", { name: "Two" }).focus();
    await page.keyboard.press("x");
    await bar(page).getByText("1 session selected").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await bar(page).getByRole("button", { name: "Tags…" }).click();
    await page.getByRole("combobox", { name: "Find or create a tag" }).fill("later, tax");
    await page.getByRole("button", { name: "Save" }).click();
    await bar(page).getByText("Tagged 2 sessions.").waitFor();
    await bar(page).getByText("2 sessions selected").waitFor(); // for the next action
    await bar(page).getByRole("button", { name: "Pin", exact: true }).click();
    await bar(page).getByText("Pinned 2 sessions.").waitFor();
    await bar(page).getByRole("button", { name: "Unpin" }).click();
    await bar(page).getByText("Unpinned 2 sessions.").waitFor();
    await bar(page).getByRole("button", { name: "Undo" }).click();
    await bar(page).getByText("Pinned 2 sessions.").waitFor();
    await bar(page).getByText("2 sessions selected").waitFor();
    await bar(page).getByRole("button", { name: "Unpin" }).click();
    await bar(page).getByRole("button", { name: "Clear selection" }).click();
    await page.locator(".facet", { hasText: "Tag" }).getByRole("button", { name: /later/ }).waitFor();
    await row(page, "Three").getByRole("button", { name: "tax" }).click();
    await listed(page, ["Two", "Three"]);
    expect(new URL(page.url()).searchParams.get("tags")).toBe("tax");
  });

  test("are moved to trash after a question, and come back by Undo", async () => {
    const { page, paths } = await opened();
    await check(page, "One").click();
    await check(page, "Four").click();
    await bar(page).getByRole("button", { name: "Move to trash…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await titles(page)).toEqual(TITLES);
    await bar(page).getByRole("button", { name: "Move to trash…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Move to trash" }).click();
    await bar(page).getByText("Moved 2 sessions to trash.").waitFor();
    await listed(page, ["Two", "Three"]);
    expect(paths.map((path) => existsSync(path))).toEqual([false, true, true, false]);
    await bar(page).getByRole("button", { name: "Undo" }).click();
    await listed(page, TITLES);
    expect(paths.every((path) => existsSync(path))).toBe(true);
  });

  test("that fail to change stay selected, with the error, and those before are undone", async () => {
    const { page, paths, complaints } = await opened();
    for (const title of ["One", "Two", "Three"]) await check(page, title).click();
    await page.route("**/api/archive", async (route) => {
      const isSecond = route.request().postData()?.includes(JSON.stringify(paths[1])) === true;
      if (isSecond) await route.abort();
      else await route.continue();
    });
    await bar(page).getByRole("button", { name: "Archive" }).click();
    await bar(page).getByRole("alert").waitFor();
    await bar(page).getByText("2 sessions selected").waitFor();
    expect(complaints.splice(0)).toEqual(["Failed to load resource: net::ERR_FAILED"]); // the refused change
    await listed(page, ["Two", "Three", "Four"]);
    await page.unroute("**/api/archive");
    await bar(page).getByRole("button", { name: "Clear selection" }).click();
    await bar(page).getByText("Archived 1 session.").waitFor();
    await bar(page).getByRole("button", { name: "Undo" }).click();
    await listed(page, TITLES);
  });

  test("a row's project and the last search lead where they say", async () => {
    const { page } = await opened();
    await row(page, "Three").getByRole("button", { name: "blog" }).click();
    await listed(page, ["Three", "Four"]);
    await row(page, "Four").getByRole("link", { name: "Four" }).click();
    await page.getByRole("region", { name: "Transcript" }).waitFor();
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Sessions" }).click();
    await listed(page, ["Three", "Four"]);
    expect(new URL(page.url()).searchParams.get("cwd")).toBe("/home/ada/blog");
  });

  test("a command leads from a session to the last search, also after a reload", async () => {
    const { page } = await opened();
    await row(page, "Three").getByRole("button", { name: "blog" }).click();
    await row(page, "Four").getByRole("link", { name: "Four" }).click();
    await page.getByRole("region", { name: "Transcript" }).waitFor();
    await page.reload();
    await page.getByRole("region", { name: "Transcript" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Search sessions" }).click();
    await listed(page, ["Three", "Four"]);
    const isFocused = () =>
      page
        .getByRole("combobox", { name: "Search sessions" })
        .evaluate((field) => field === document.activeElement);
    await expect.poll(isFocused).toBe(true);
    await page.getByRole("link", { name: "Four" }).focus();
    await page.keyboard.press("/");
    expect(await isFocused()).toBe(true);
  });

  test("Shift+X selects a range", async () => {
    const { page } = await opened();
    await row(page, "One").getByRole("link", { name: "One" }).focus();
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Shift+X");
    await bar(page).getByText("3 sessions selected").waitFor();
  });

  test("all results are selected and changed, not only those that are loaded", async () => {
    const { page, root } = await openedMany();
    await page.keyboard.press("Control+a");
    await bar(page).getByText("40 sessions selected").waitFor();
    await bar(page).getByRole("button", { name: "Select all 90 sessions" }).click();
    await bar(page).getByText("90 sessions selected").waitFor();
    expect(
      await bar(page)
        .getByRole("button", { name: /Select all/ })
        .count(),
    ).toBe(0);
    await bar(page).getByRole("button", { name: "Move to trash…" }).click();
    await page.getByRole("heading", { name: "Move 90 sessions to trash?" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await bar(page).getByRole("button", { name: "Pin" }).click();
    await bar(page)
      .getByText(/of 90 sessions done/)
      .waitFor();
    await bar(page).getByText("Pinned 90 sessions.").waitFor();
    expect(countPinned(root)).toBe(90);
    await bar(page).getByRole("button", { name: "Undo" }).click();
    await bar(page).getByText("Unpinned 90 sessions.").waitFor();
    expect(countPinned(root)).toBe(0);
    expect(await findViolations(page)).toEqual([]);
  });

  test("all results stay selected if the action is stopped, and none if the query changes", async () => {
    const { page, root } = await openedMany();
    await page.getByRole("combobox", { name: "Search sessions" }).fill("question");
    await page.getByTitle("90 sessions found").waitFor();
    await page.locator(".result-title").first().focus();
    await page.keyboard.press("Control+a");
    await bar(page).getByRole("button", { name: "Select all 90 sessions" }).click();
    await bar(page).getByText("90 sessions selected").waitFor();
    await page.route("**/api/pin", async (route) => {
      if (route.request().postData()?.includes("id-50"))
        await bar(page).getByRole("button", { name: "Stop" }).click();
      await route.continue();
    });
    await bar(page).getByRole("button", { name: "Pin" }).click();
    await bar(page).getByText("90 sessions selected").waitFor();
    const done = await bar(page)
      .getByText(/^Pinned [1-8]\d? sessions\.$/)
      .textContent();
    expect(countPinned(root)).toBe(Number(done?.match(/\d+/)?.[0]));
    await page.getByRole("combobox", { name: "Search sessions" }).fill("question 1");
    await expect
      .poll(() =>
        bar(page)
          .getByText(/selected$/)
          .count(),
      )
      .toBe(0);
    expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(0);
  });
});

/** The page with ninety sessions, of which forty are loaded. */
async function openedMany() {
  const root = join(temporaryFolder(), "sessions");
  for (let n = 0; n < 90; n++) {
    const timestamp = new Date(Date.UTC(2026, 0, 30) - n * 3_600_000).toISOString();
    const talk = session({ id: `id-${n}`, timestamp, cwd: "/home/ada/shop" });
    talk.user(`Question ${n}`, { timestamp }).writeUnder(root);
  }
  const opened = await openPage(await serveSynced(root));
  await opened.page.getByRole("status").getByText("90 sessions", { exact: true }).waitFor();
  return { ...opened, root };
}

function countPinned(root: string): number {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".jsonl"),
  );
  const isPinned = (file: string) =>
    readFileSync(join(root, file), "utf8").trimEnd().split("\n").at(-1)?.includes('"pinned":true') === true;
  return files.filter(isPinned).length;
}
