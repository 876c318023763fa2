/** The trash in a real browser. */
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

const HOSTILE = "<img src=x onerror=alert(1)> \u202egnp.exe";

/** Sessions that were moved to the trash, the last one first in its list. */
async function trashed(titles: readonly string[]) {
  const home = temporaryFolder();
  const root = join(home, "sessions");
  const paths = titles.map((title, n) =>
    session({ id: `s${n}`, cwd: "/home/ada/shop", timestamp: `2026-01-0${n + 1}T09:00:00.000Z` })
      .user(title)
      .writeUnder(root),
  );
  session({ id: "kept", timestamp: "2026-02-01T09:00:00.000Z" }).user("Kept").writeUnder(root);
  const env = { HOME: home, XDG_DATA_HOME: join(home, "data"), PATH: "" };
  const server = await serveSynced(root, { env });
  for (const path of paths) expect((await server.act("/api/trash", { session: path })).status).toBe(200);
  return {
    server,
    paths,
    root,
    files: join(home, "data", "Trash", "files"),
    notes: join(home, "data", "Trash", "info"),
  };
}

const bar = (page: Page) => page.getByRole("toolbar", { name: "Selected sessions" });
const rows = (page: Page) => page.locator(".result");
const restoreButton = (page: Page, title: string) => page.getByRole("button", { name: `Restore ${title}` });

test("the answer has what pidex trash --json prints; files that only look like sessions of the roots are left out", async () => {
  const { server, paths, root, files, notes } = await trashed(["One"]);
  const note = (name: string, path: string) =>
    writeFileSync(
      join(notes, `${name}.trashinfo`),
      `[Trash Info]\nPath=${path}\nDeletionDate=2026-01-05T09:00:00\n`,
    );
  const secret = session({ id: "secret" })
    .user("Not for the page.")
    .write(join(root, "..", "secret.jsonl"));
  symlinkSync(secret, join(files, "linked.jsonl"));
  note("linked.jsonl", join(root, "--home-ada-shop--", "linked.jsonl"));
  session({ id: "elsewhere" }).user("Not for the page.").write(join(files, "elsewhere.jsonl"));
  note("elsewhere.jsonl", "/home/ada/elsewhere.jsonl");
  const { trashed: answer } = await server.json("/api/trashed");
  expect(answer).toMatchObject([
    {
      sessionId: "s0",
      path: paths[0],
      cwd: "/home/ada/shop",
      firstMessage: "One",
      messageCount: 1,
      created: "2026-01-01T09:00:00.000Z",
      along: [],
    },
  ]);
  expect(answer[0].bytes).toBe(readFileSync(answer[0].trashPath).length);
  for (const path of [join(files, "linked.jsonl"), join(files, "elsewhere.jsonl"), secret])
    expect((await server.act("/api/restore", { session: path })).status).toBe(404);
  expect((await fetch(new URL("/api/trashed", server.origin))).status).toBe(401);
});

describeInBrowser("the trash", () => {
  test("is linked from the sessions, and restores one session", async () => {
    const { server, paths } = await trashed(["One", HOSTILE]);
    const { page } = await openPage(server);
    await page.getByRole("link", { name: "Trash" }).click();
    await rows(page).nth(1).waitFor();
    expect(await page.title()).toBe("Trash · pidex");
    expect(await rows(page).nth(0).textContent()).toContain("<img src=x onerror=alert(1)>");
    expect(await rows(page).nth(1).textContent()).toMatch(/One.*shop.*deleted .*1 message.*\d+ B/);
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await restoreButton(page, "One").click();
    await bar(page).getByText("Restored 1 session.").waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(existsSync(paths[0] as string)).toBe(true);
    await bar(page).getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(existsSync(paths[0] as string)).toBe(false);
    await restoreButton(page, "One").click();
    await bar(page).getByText("Restored 1 session.").waitFor();
    await bar(page).getByRole("link", { name: "Open" }).click();
    await page.getByRole("heading", { name: "One" }).waitFor();
  });

  test("a title shows what is known of its session", async () => {
    const long = `Where are the ${"very ".repeat(60)}old prices?`;
    const { server, paths } = await trashed([long]);
    const { page } = await openPage(server, { path: "/trash" });
    await page.getByText("in the trash of this computer").waitFor();
    const title = page.getByRole("button", { name: /^Where are the/ });
    expect(await title.getAttribute("aria-expanded")).toBe("false");
    await title.click();
    const details = page.locator(".trash-details");
    expect(await details.locator("blockquote").textContent()).toBe(long);
    expect(await details.textContent()).toContain(`Restored to${paths[0]}`);
    expect(await findViolations(page)).toEqual([]);
    await title.click();
    await details.waitFor({ state: "detached" });
  });

  test("z brings back what was moved there last, together, and then undoes that", async () => {
    const { server, paths, notes } = await trashed(["One", "Two", "Three"]);
    const notePath = readdirSync(notes)
      .map((name) => join(notes, name))
      .find((each) => readFileSync(each, "utf8").includes("_s0")) as string;
    const note = readFileSync(notePath, "utf8");
    writeFileSync(notePath, note.replace(/DeletionDate=.*/, "DeletionDate=2026-01-05T09:00:00"));
    const { page } = await openPage(server, { path: "/trash" });
    await rows(page).nth(2).waitFor();
    await page.keyboard.press("z");
    await bar(page).getByText("Restored 2 sessions.").waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(paths.map((path) => existsSync(path))).toEqual([false, true, true]);
    await page.keyboard.press("z");
    await expect.poll(() => rows(page).count()).toBe(3);
    expect(paths.map((path) => existsSync(path))).toEqual([false, false, false]);
  });

  test("restores several by keyboard, and says when it is empty", async () => {
    const { server, paths } = await trashed(["One", "Two", "Three"]);
    const { page } = await openPage(server, { path: "/trash" });
    await rows(page).nth(2).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await bar(page).getByText("2 sessions selected").waitFor();
    await bar(page).getByRole("button", { name: "Restore" }).press("Enter");
    await bar(page).getByText("Restored 2 sessions.").waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(paths.map((path) => existsSync(path))).toEqual([false, true, true]);
    await restoreButton(page, "One").press("Enter");
    await page.getByText("No sessions in the trash.").waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Trash");
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "← All sessions" }).click();
    await page.getByRole("link", { name: "Three" }).waitFor();
  });

  test("what cannot be restored stays, with the reason; a list that fails can be loaded again", async () => {
    const { server, paths } = await trashed(["One"]);
    const { page, complaints } = await openPage(server, { path: "/trash" });
    writeFileSync(paths[0] as string, "in the way");
    await restoreButton(page, "One").click();
    await page.getByRole("alert").waitFor();
    expect(await rows(page).count()).toBe(1);
    expect(readFileSync(paths[0] as string, "utf8")).toBe("in the way");
    await page.route("**/api/trashed", (route) => route.abort());
    await page.reload();
    await page.getByRole("alert").getByText("pidex serve does not respond").waitFor();
    await page.unroute("**/api/trashed");
    await page.getByRole("button", { name: "Try again" }).click();
    await rows(page).first().waitFor();
    complaints.length = 0; // the browser logs failed requests
  });

  test("is offered after sessions are moved there", async () => {
    const { server } = await trashed(["One"]);
    const { page, complaints } = await openPage(server);
    await page.getByRole("checkbox", { name: "Select Kept" }).click();
    await bar(page).getByRole("button", { name: "Move to trash…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Move to trash" }).click();
    await bar(page).getByRole("link", { name: "Show trash" }).click();
    await expect.poll(() => rows(page).count()).toBe(2);
    complaints.length = 0;
  });

  test("is named by the usage view, if a session of the range is in it", async () => {
    const { server } = await trashed(["One", "Two"]);
    const note = "Not counted: 1 session of this range in the trash.";
    const { page } = await openPage(server, { path: "/usage?since=2026-01-02&until=2026-01-03&zone=UTC" });
    await page.getByText(note).waitFor();
    await page.goto(`${server.origin}/usage?range=all`);
    await page.getByText(note.replace("1 session", "2 sessions")).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.goto(`${server.origin}/usage?since=2026-01-03&until=2026-02-03&zone=UTC`);
    await page.locator('[data-figure="Sessions"][data-value]').waitFor();
    expect(await page.getByText("Not counted").count()).toBe(0);
    await page.goto(`${server.origin}/usage?range=all`);
    await page.getByRole("link", { name: "the trash" }).click();
    await restoreButton(page, "One").click();
    await bar(page).getByText("Restored 1 session.").waitFor();
    await page.goto(`${server.origin}/usage?range=all`);
    await page.getByText(note).waitFor();
  });
});
