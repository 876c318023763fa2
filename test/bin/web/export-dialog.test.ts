/** The export dialog in a real browser: exports exactly what was chosen, while the page stays usable. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import type { TestServer } from "./serve.ts";
import { serveSynced } from "./serve-synced.ts";

const SECRET = `ghp_${"a1B2".repeat(9)}`;
const folder = mkdtempSync(join(tmpdir(), "pidex-export-dialog-"));
let server: TestServer;
let end = async () => {};

beforeAll(async () => {
  const root = join(folder, "sessions");
  const talk = session({ id: "talk", cwd: "/w/barn" })
    .user("Where is the needle?", { id: "q" })
    .assistant("first", { id: "a1" });
  talk.branch("q").assistant(`In the haystack: ${SECRET}`, { id: "a2" });
  talk.writeUnder(root);
  session({ id: "hay", cwd: "/w/barn" })
    .user("The needle again.")
    .assistant("No.")
    .user("Thanks.")
    .writeUnder(root);
  session({ id: "cows", cwd: "/w/field" }).user("Feed the cows.").assistant("Done.").writeUnder(root);
  const long = session({ id: "long", cwd: "/w/long" }).user("Write a lot.");
  for (let n = 0; n < 3000; n++) long.assistant(`**${n}** ${"words and `code` ".repeat(500)}`);
  long.writeUnder(root);
  const atEnd = (stop: () => Promise<void>) => {
    end = stop;
  };
  server = await serveSynced(root, { db: join(folder, "index.db"), atEnd });
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

const dialog = (page: Page) => page.getByRole("dialog", { name: "Export" });

/** Starts the export of the open dialog. Returns the saved file. */
async function save(page: Page): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog(page).getByRole("button", { name: "Export" }).click(),
  ]);
  const name = download.suggestedFilename();
  await page.getByText(`Saved ${name}`).waitFor();
  await page.getByRole("region", { name: "Exports" }).getByRole("button", { name: "Close" }).click();
  return { name, text: readFileSync(await download.path(), "utf8") };
}

const idsIn = (jsonl: string): string[] =>
  jsonl
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === "session")
    .map(({ id }) => id)
    .sort();

describeInBrowser("the export dialog", () => {
  test("exports the matches of a search, or the sessions whole", async () => {
    const { page } = await openPage(server, { path: "/?q=needle" });
    await page.getByRole("button", { name: "Export 2 sessions" }).click();
    expect(await findViolations(page)).toEqual([]);
    await dialog(page).getByRole("radio", { name: "Markdown" }).check();
    expect(await dialog(page).getByRole("checkbox", { name: "Images" }).isChecked()).toBe(false);
    const matches = await save(page);
    expect(matches.name).toBe("pidex-search.md");
    expect(matches.text).toContain("Best hits in 2 sessions");
    expect(matches.text).not.toContain("Thanks.");

    await page.getByRole("button", { name: "Export 2 sessions" }).click();
    await dialog(page)
      .getByRole("radio", { name: /^Whole sessions/ })
      .check();
    await dialog(page).getByRole("radio", { name: "JSONL" }).check();
    const whole = await save(page);
    expect(idsIn(whole.text)).toEqual(["hay", "talk"]);
    expect(whole.text).toContain("Thanks.");
    expect(whole.text).not.toContain("first"); // another branch
    expect(whole.text).not.toContain(SECRET);
  });

  test("exports the sessions of the filters, with all branches and secrets if chosen", async () => {
    const { page } = await openPage(server, { path: "/?cwd=/w/barn" });
    await page.getByRole("button", { name: "Export 2 sessions" }).click();
    await dialog(page).getByRole("checkbox", { name: "All branches" }).check();
    await dialog(page).getByRole("checkbox", { name: "Mask likely secrets" }).uncheck();
    await page.getByText("will be readable").waitFor();
    await dialog(page).getByRole("radio", { name: "JSONL" }).check();
    const { name, text } = await save(page);
    expect(name).toBe("pidex-sessions.jsonl");
    expect(idsIn(text)).toEqual(["hay", "talk"]);
    expect(text).toContain("first");
    expect(text).toContain(SECRET);
  });

  test("exports the selected sessions", async () => {
    const { page } = await openPage(server);
    await page.locator(".result").filter({ hasText: "cows" }).getByRole("checkbox").check();
    await page.locator(".result").filter({ hasText: "again" }).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Export…" }).click();
    // What is exported is no choice.
    await dialog(page).getByText("2 sessions selected").waitFor();
    expect(await dialog(page).getByRole("group", { name: "What" }).getByRole("radio").count()).toBe(0);
    await dialog(page).getByRole("radio", { name: "JSONL" }).check();
    expect(idsIn((await save(page)).text)).toEqual(["cows", "hay"]);
  });

  test("an error covers no action on the selected sessions, and goes with the view", async () => {
    const { page, complaints } = await openPage(server);
    await page.route("**/api/export*", (route) => route.abort());
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.locator(".result").filter({ hasText: "cows" }).getByRole("checkbox").check();
      await page.getByRole("button", { name: "Export…" }).click();
      await dialog(page).getByRole("button", { name: "Export" }).click();
      const exports = page.getByRole("region", { name: "Exports" });
      await exports.getByText("Could not export").waitFor();
      for (const button of ["Pin", "Tags…", "Clear selection"])
        await page.getByRole("button", { name: button, exact: true }).click({ trial: true });
      await page.keyboard.press("4");
      await page.getByRole("heading", { name: "Trash" }).waitFor();
      await exports.waitFor({ state: "detached" });
      await page.goBack();
    }
    expect(complaints.splice(0)).toEqual(Array(2).fill("Failed to load resource: net::ERR_FAILED"));
  });

  test("exports the displayed branch, the current one or all of a session", async () => {
    const { page } = await openPage(server, { path: "/session/talk?leaf=a1" });
    const exportAs = async (what: string) => {
      await page.getByLabel("More").click();
      await page.getByRole("button", { name: "Export…" }).click();
      await dialog(page).getByRole("radio", { name: what }).check();
      await dialog(page).getByRole("radio", { name: "JSONL" }).check();
      const { text } = await save(page);
      return [text.includes('"first"'), text.includes("haystack")];
    };
    expect(await exportAs("The displayed branch")).toEqual([true, false]);
    expect(await exportAs("The current branch")).toEqual([false, true]);
    expect(await exportAs("All branches")).toEqual([true, true]);
  });

  test("shows its progress on every view, and can be canceled", async () => {
    const { page } = await openPage(server, { path: "/session/long" });
    const downloads: string[] = [];
    page.on("download", (download) => downloads.push(download.suggestedFilename()));
    await page.getByLabel("More").click();
    await page.getByRole("button", { name: "Export…" }).click();
    await dialog(page).getByRole("button", { name: "Export" }).click();
    const exports = page.getByRole("region", { name: "Exports" });
    await exports.getByText(/MB$/).waitFor();
    await page.getByRole("link", { name: "Usage" }).click();
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    await exports.getByText("Exporting this session").waitFor();
    await exports.getByRole("button", { name: "Cancel" }).click();
    await exports.waitFor({ state: "detached" });
    expect((await server.fetch("/api/list")).status).toBe(200);
    expect(downloads).toEqual([]);
  });
});
