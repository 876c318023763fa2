/** Actions on a session in a real browser, by mouse, keyboard and touch. */
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Session, session } from "../../../fixtures/builder.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import type { TestServer } from "./serve.ts";
import { serveSynced } from "./serve-synced.ts";

const folder = mkdtempSync(join(tmpdir(), "pidex-by-hand-"));
const root = join(folder, "sessions");
const paths = new Map<string, string>();
let server: TestServer;
let end = async () => {};

/** Writes a session with an old mtime, so that no agent seems to be running. */
function put(draft: Session): void {
  const path = draft.writeUnder(root);
  utimesSync(path, new Date("2026-01-05"), new Date("2026-01-05"));
  paths.set(draft.id, path);
}

const talk = (id: string): Session =>
  session({ id, cwd: folder })
    .user(`Where is ${id}?`, { id: "q" })
    .assistant("It is here.", { id: "a" })
    .user("Thanks.", { id: "t" });

beforeAll(async () => {
  for (const id of ["mouse", "keys", "touch", "trash", "copied", "typed", "left", "undone", "renamed"])
    put(talk(id));
  const source = session({ id: "source" }).user("Which way?").assistant("Left.", { id: "left" });
  source.user("Go on.").assistant("Done.");
  put(source);
  put(source.fork({ id: "fork", leaf: "left" }).user("And back?").name("The way back"));
  const env = { HOME: folder, XDG_DATA_HOME: join(folder, "data"), PATH: "" };
  const atEnd = (stop: () => Promise<void>) => {
    end = stop;
  };
  server = await serveSynced(root, { db: join(folder, "index.db"), env, atEnd });
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

const opened = async (id: string, options = {}) => {
  const path = paths.get(id) as string;
  const before = readFileSync(path, "utf8");
  const { page, complaints } = await openPage(server, { path: `/session/${id}`, ...options });
  /** The lines appended to its file since. */
  const added = () => {
    const now = readFileSync(path, "utf8");
    expect(now.startsWith(before)).toBe(true);
    const lines = now.slice(before.length).split("\n");
    expect(lines.pop()).toBe("");
    return lines.map((line) => JSON.parse(line));
  };
  await rowWith(page, "Thanks.").or(page.locator(".fork-point").first()).waitFor();
  return { page, complaints, path, added };
};
const rowWith = (page: Page, text: string) => page.locator(".row", { hasText: text });
const menu = (page: Page) => page.locator("summary", { hasText: "⋯" });
const status = (page: Page, words: string) => page.getByRole("status").getByText(words, { exact: true });

/** Closes a dialog and opens it again before the browser fires the close event, as a fast user may. */
async function reopenAtOnce(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const buttons = document.querySelectorAll("dialog button");
    [...buttons].find(({ textContent }) => textContent === "Cancel").click();
    for (let turn = 0; turn < 1000 && document.querySelector("dialog"); turn++) await undefined; // no task runs in between
    document.activeElement.click();
    await new Promise((resolve) => setTimeout(resolve)); // the close event has fired by now
  })()`);
  await page.getByRole("dialog", { name: "Label" }).waitFor();
}

/** Clicks an item of the session's menu. */
async function choose(page: Page, name: string): Promise<void> {
  await menu(page).click();
  await page.getByRole("button", { name, exact: true }).click();
}

describeInBrowser("a session in the page", () => {
  test("is pinned, archived, tagged, renamed and labeled by mouse, each as one line at the end of its file", async () => {
    const { page, added } = await opened("mouse");
    await choose(page, "Pin");
    await status(page, "Pinned.").waitFor({ state: "attached" });
    await choose(page, "Unpin");
    await status(page, "Unpinned.").waitFor({ state: "attached" });
    await choose(page, "Archive");
    await page.locator(".session-facts").getByText("archived").waitFor();
    await choose(page, "Tags…");
    await page.getByLabel("Find or create a tag").fill(" money, bug ,");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".chip-tag", { hasText: "bug" }).waitFor();
    await page.getByRole("button", { name: "Where is mouse?" }).click();
    await page.getByLabel("Name of this session").fill("Found");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Found" }).waitFor();
    await rowWith(page, "It is here.").hover();
    await rowWith(page, "It is here.").getByRole("button", { name: "Label this entry" }).click();
    await page.getByLabel("Label of this entry").fill("there");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".row-label", { hasText: "there" }).waitFor();
    const pidexEntry = (data: object) => ({ type: "custom", customType: "pidex", data });
    expect(added()).toMatchObject([
      pidexEntry({ pinned: true }),
      pidexEntry({ pinned: false }),
      pidexEntry({ archived: true }),
      pidexEntry({ tags: ["money", "bug"] }),
      { type: "session_info", name: "Found" },
      { type: "label", targetId: "a", label: "there" },
    ]);
    for (const words of ["unpinned", "archived", "tags money, bug"])
      expect(await rowWith(page, words).count()).toBe(1);
    const tree = page.getByRole("navigation", { name: "Tree and files of this session" });
    expect(await tree.getByText("custom").count()).toBe(0);
  });

  test("is renamed by its menu, too", async () => {
    const { page, added } = await opened("renamed");
    await choose(page, "Rename…");
    await page.getByRole("textbox", { name: "Name of this session" }).fill("By the menu");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "By the menu" }).waitFor();
    expect(added()).toMatchObject([{ type: "session_info", name: "By the menu" }]);
  });

  test("is labeled and renamed by keyboard alone; Escape closes dialogs and restores the focus", async () => {
    const { page, added } = await opened("keys");
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    const tool = rowWith(page, "It is here.").getByRole("button", { name: "Label this entry" });
    await tool.focus();
    expect(await tool.evaluate((one) => getComputedStyle(one.parentElement as Element).opacity)).toBe("1");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Label" }).waitFor();
    await page.keyboard.type("never");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused()).toBe("Label this entry");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Cancel" }).press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused()).toBe("Label this entry");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Label" }).waitFor();
    await reopenAtOnce(page);
    await page.keyboard.type("by keys");
    await page.keyboard.press("Enter");
    await page.locator(".row-label", { hasText: "by keys" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused()).toBe("Change the label of this entry");
    await page.getByRole("button", { name: "Where is keys?" }).press("Enter");
    await page.getByLabel("Name of this session").waitFor();
    await page.keyboard.type("not this");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Where is keys?" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Where is keys?");
    await menu(page).press("Enter");
    await page.getByRole("button", { name: "Tags…" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Tags…" }).waitFor({ state: "hidden" });
    expect(await focused()).toBe("More");
    await menu(page).press("Enter");
    await page.getByRole("button", { name: "Tags…" }).press("Enter");
    await page.getByRole("dialog", { name: "Tags" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused()).toBe("More");
    expect(added()).toMatchObject([{ type: "label", targetId: "a", label: "by keys" }]);
  });

  test("a typed name is saved by a click elsewhere, kept if saving fails, and discarded by Escape", async () => {
    const { page, complaints, added } = await opened("typed");
    const field = page.getByLabel("Name of this session");
    await page.getByRole("button", { name: "Where is typed?" }).click();
    await field.fill("By a click");
    await page.locator(".session-facts time").first().click();
    await page.getByRole("heading", { name: "By a click" }).waitFor();
    expect(added()).toMatchObject([{ type: "session_info", name: "By a click" }]);

    // The server is unreachable for a moment: the draft stays and is saved later.
    await page.route("**/api/rename", (route) => route.abort());
    await page.getByRole("button", { name: "By a click" }).click();
    await field.fill("A draft");
    await page.locator(".session-facts time").first().click();
    await page.getByRole("alert").waitFor();
    expect(await field.inputValue()).toBe("A draft");
    await page.unroute("**/api/rename");
    await field.press("Enter");
    await page.getByRole("heading", { name: "A draft" }).waitFor();

    await page.getByRole("button", { name: "A draft" }).click();
    await field.fill("Not this");
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "A draft" }).waitFor();
    // An unchanged name is not written.
    await page.getByRole("button", { name: "A draft" }).click();
    await page.locator(".session-facts time").first().click();
    await page.getByRole("button", { name: "A draft" }).waitFor();
    expect(added().map(({ name }) => name)).toEqual(["By a click", "A draft"]);
    expect(complaints.splice(0).every((message) => message.includes("ERR_FAILED"))).toBe(true);
  });

  test("a typed name is saved when the user leaves by a link, back, forward or reload", async () => {
    const { page, added } = await opened("left");
    const rename = async (name: string) => {
      await page.getByRole("button", { name: /^(Where is left\?|By a link|By going on)$/ }).click();
      await page.getByLabel("Name of this session").fill(name);
    };
    await rename("By a link");
    await page.getByRole("link", { name: "Health" }).click();
    await page.getByRole("heading", { name: "Health" }).waitFor();
    await expect.poll(() => added().map(({ name }) => name)).toEqual(["By a link"]);
    await page.goBack();
    await page.getByRole("heading", { name: "By a link" }).waitFor();
    await rename("By going on");
    await page.goForward();
    await page.getByRole("heading", { name: "Health" }).waitFor();
    await expect.poll(() => added().map(({ name }) => name)).toEqual(["By a link", "By going on"]);
    await page.goBack();
    await rename("By a reload");
    await page.reload();
    await expect
      .poll(() => added().map(({ name }) => name))
      .toEqual(["By a link", "By going on", "By a reload"]);
  });

  test("tags that cannot be saved stay in the dialog", async () => {
    const { page, complaints } = await opened("copied");
    await page.route("**/api/tag", (route) => route.abort());
    await choose(page, "Tags…");
    const field = page.getByLabel("Find or create a tag");
    await field.fill("money");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    expect(await field.inputValue()).toBe("money");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(complaints.splice(0).every((message) => message.includes("ERR_FAILED"))).toBe(true);
  });

  test("moving to trash can be undone, and the session is displayed again", async () => {
    const { page, complaints, path } = await opened("undone");
    const content = readFileSync(path, "utf8");
    await choose(page, "Move to trash…");
    await page.getByRole("button", { name: "Move to trash", exact: true }).press("Enter");
    await page.getByRole("heading", { name: "Moved to trash" }).waitFor();
    writeFileSync(path, "in the way");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("alert").waitFor();
    expect(readFileSync(path, "utf8")).toBe("in the way");
    rmSync(path);
    await page.getByRole("button", { name: "Undo" }).click();
    await rowWith(page, "Thanks.").waitFor();
    expect(readFileSync(path, "utf8")).toBe(content);
    expect(await page.getByRole("heading", { name: "Where is undone?" }).count()).toBe(1);
    expect(complaints.splice(0).every((message) => /404|409/.test(message))).toBe(true);
  });

  test("its entries can be labeled by touch", async () => {
    const phone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } };
    const { page, added } = await opened("touch", phone);
    const tool = rowWith(page, "Thanks.").getByRole("button", { name: "Label this entry" });
    expect(await tool.evaluate((one) => getComputedStyle(one.parentElement as Element).opacity)).toBe("1");
    await tool.tap();
    await page.getByLabel("Label of this entry").fill("touched");
    await page.getByRole("button", { name: "Save" }).tap();
    await page.locator(".row-label", { hasText: "touched" }).waitFor();
    expect(added()).toMatchObject([{ type: "label", targetId: "t", label: "touched" }]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });

  test("moves to trash after a confirmation; the page shows the location and a way back", async () => {
    const { page, complaints, path, added } = await opened("trash");
    const content = readFileSync(path, "utf8");
    await choose(page, "Move to trash…");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(added()).toEqual([]);
    await choose(page, "Move to trash…");
    await page.getByRole("button", { name: "Move to trash", exact: true }).press("Enter");
    await page.getByRole("heading", { name: "Moved to trash" }).waitFor();
    expect(await page.locator("main").textContent()).toContain("Where is trash?");
    const trashPath = (await page.locator(".nothing-path").textContent()) as string;
    expect(readFileSync(trashPath, "utf8")).toBe(content);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "All sessions", exact: true }).click();
    await page.getByText("Where is keys?").first().waitFor();
    expect(await page.getByText("Where is trash?").count()).toBe(0);
    // The view requested the deleted session once more.
    expect(complaints.splice(0).every((message) => message.includes("404"))).toBe(true);
  });

  test("copies the command that resumes it", async () => {
    const { page, added } = await opened("copied", { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("button", { name: "Copy resume command" }).click();
    // The server has no PATH, but the user's shell has one.
    await page.getByText(/^Copied the resume command\. Cannot resume here: .*PATH/).waitFor();
    const { resume } = await server.json("/api/session?session=copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(resume.line);
    expect(added()).toEqual([]);
  });

  test("links to its forks where they were made, and from a fork to its origin", async () => {
    const { page } = await opened("source");
    const tree = page.getByRole("navigation", { name: "Tree and files of this session" });
    await tree.getByRole("link", { name: /^Fork: The way back/ }).waitFor();
    const left = page.locator(".row", { has: page.getByRole("navigation", { name: "Forks at this entry" }) });
    expect(await left.textContent()).toContain("Left.");
    await left.getByRole("link", { name: /The way back/ }).click();
    await page.getByRole("heading", { name: "The way back" }).waitFor();
    const begin = rowWith(page, "Entries above are from");
    expect(await begin.textContent()).toContain("Left.");
    expect(await findViolations(page)).toEqual([]);
    await begin.getByRole("link", { name: "Which way?" }).click();
    await rowWith(page, "Done.").waitFor();
    expect(await page.locator(".row-named").textContent()).toContain("Left.");
  });

  test("reports an unknown entry, and shows the end of the session", async () => {
    const { page } = await openPage(server, { path: "/session/copied?entry=nosuch" });
    await page.getByText("Entry nosuch not found").waitFor();
    await rowWith(page, "Thanks.").waitFor();
  });
});
