/** Sorting, facets and pinning in the list of sessions, and help and dead ends on a phone. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { CHROMIUM } from "./chromium.ts";
import type { TestServer } from "./serve.ts";
import { serveSynced } from "./serve-synced.ts";

let folder = "";
let server: TestServer;
let end = async () => {};

beforeAll(async () => {
  if (!CHROMIUM) return;
  folder = mkdtempSync(join(tmpdir(), "pidex-sorting-"));
  const root = join(folder, "sessions");
  /** A session with some answers, each for some dollars. */
  const write = (name: string, day: number, answers: number, dollars: number, tags: readonly string[]) => {
    const cwd = day < 3 ? "/home/ada/shop" : "/home/ada/blog";
    const talk = session({ id: name, cwd, timestamp: `2026-01-0${day}T09:00:00.000Z` }).user(name);
    for (let n = 0; n < answers; n++)
      talk.assistant("Yes.", { usage: { input: 10, output: 5, cost: { total: dollars } } });
    talk.custom("pidex", { tags }).writeUnder(root);
  };
  write("Short and dear", 1, 1, 9, ["money"]);
  write("Long and cheap", 2, 6, 0.01, ["money", "slow"]);
  write("In between", 3, 3, 1, []);
  server = await serveSynced(root, {
    db: join(folder, "index.db"),
    atEnd: (stop) => {
      end = stop;
    },
  });
});
afterAll(async () => {
  await end();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const listed = (page: Page, expected: readonly string[]) =>
  expect.poll(() => page.locator(".result-title").allTextContents()).toEqual(expected);
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

describeInBrowser("a filter", () => {
  test("by model names that model in rows of sessions that went on with another; list keys work after it", async () => {
    const own = temporaryFolder();
    const by = (model: string) => ({ provider: "p", model });
    session({ id: "one" }).user("x").assistant("y", by("old")).assistant("z", by("new")).writeUnder(own);
    session({ id: "two" }).user("x").assistant("y", by("old")).writeUnder(own);
    const { page } = await openPage(await serveSynced(own));
    await page.locator(".filters").getByRole("button", { name: /^old/ }).click();
    const models = page.locator(".result-model");
    await expect.poll(async () => (await models.allTextContents()).sort()).toEqual(["old", "old +1"]);
    expect(await page.getByTitle("Only sessions with old. Its models: old, new").count()).toBe(1);
    // The focus is still on the filter.
    await page.keyboard.press("j");
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("result-title");
    const shown = async (path: string) => {
      await page.goto(new URL(path, page.url()).href);
      await page.locator(".result", { hasText: "+1" }).waitFor();
      return (await models.allTextContents()).sort();
    };
    expect(await shown("/")).toEqual(["new +1", "old"]);
    expect(await shown("/?q=model:OL")).toEqual(["old", "old +1"]);
    expect(await shown("/?q=re:x")).toEqual(["new +1", "old"]);
  });
});

describeInBrowser("the list of sessions", () => {
  test("is sorted by cost or length and narrowed by a project, which / and u keep, or by a tag", async () => {
    const { page } = await openPage(server);
    await listed(page, ["In between", "Long and cheap", "Short and dear"]);
    const sort = page.getByRole("combobox", { name: "Sort" });
    await sort.selectOption({ value: "messages" });
    await listed(page, ["Long and cheap", "In between", "Short and dear"]);
    await sort.selectOption({ value: "cost" });
    await listed(page, ["Short and dear", "In between", "Long and cheap"]);
    const facet = (name: string) => page.getByRole("region", { name });
    await facet("Project").getByRole("button", { name: /^shop/ }).click();
    await listed(page, ["Short and dear", "Long and cheap"]);
    await page.keyboard.press("/");
    await page.keyboard.type("lo");
    await listed(page, ["Long and cheap"]);
    expect([param(page, "sort"), param(page, "cwd")]).toEqual(["cost", "/home/ada/shop"]);
    await page.keyboard.press("Escape");
    await listed(page, ["Short and dear", "Long and cheap"]);
    await page.getByRole("link", { name: "Long and cheap" }).click();
    await page.getByRole("region", { name: "Transcript" }).waitFor();
    await page.keyboard.press("u");
    await listed(page, ["Short and dear", "Long and cheap"]);
    await facet("Project").getByRole("button", { pressed: true }).click();
    await listed(page, ["Short and dear", "In between", "Long and cheap"]);
    await facet("Tag").getByRole("button", { name: /^slow/ }).click();
    await listed(page, ["Long and cheap"]);
    expect([param(page, "q"), param(page, "tags"), param(page, "sort")]).toEqual([null, "slow", "cost"]);
    await page.keyboard.press("/");
    await page.keyboard.type("lo");
    await listed(page, ["Long and cheap"]);
    await page.keyboard.press("Escape");
    await facet("Tag").getByRole("button", { pressed: true }).click();
    await listed(page, ["Short and dear", "In between", "Long and cheap"]);
  });

  test("is narrowed to another project, model or tag by one click: those are still offered, with their counts", async () => {
    const { page } = await openPage(server);
    await listed(page, ["In between", "Long and cheap", "Short and dear"]);
    const facet = (name: string) => page.getByRole("region", { name }).getByRole("listitem");
    await facet("Project").getByRole("button", { name: /^shop/ }).click();
    await listed(page, ["Long and cheap", "Short and dear"]);
    await expect.poll(() => facet("Project").allTextContents()).toEqual(["shop2", "blog1"]);
    await facet("Tag").getByRole("button", { name: /^slow/ }).click();
    await listed(page, ["Long and cheap"]);
    await expect.poll(() => facet("Tag").allTextContents()).toEqual(["money2", "slow1"]);
    // Of the sessions with the tag, none is in the other project.
    await expect.poll(() => facet("Project").allTextContents()).toEqual(["shop1"]);
    await facet("Tag").getByRole("button", { pressed: true }).click();
    await facet("Project").getByRole("button", { name: /^blog/ }).click();
    await listed(page, ["In between"]);
  });

  test("has the same facets, counts and order, whether a project is typed or clicked", async () => {
    const { page } = await openPage(server, { path: "/?q=project%3Ashop" });
    await listed(page, ["Long and cheap", "Short and dear"]);
    const facet = (group: string) => page.locator(".filters").getByRole("region", { name: group });
    const shop = facet("Project").getByRole("button", { name: /^shop/ });
    await expect.poll(() => shop.getAttribute("aria-pressed")).toBe("true");
    await facet("Project").getByRole("button", { name: /^blog/ }).waitFor();
    expect(await facet("Tag").getByRole("button").allTextContents()).toEqual(["money2", "slow1"]);
    await page.getByRole("heading", { name: "Sessions over time" }).waitFor();
    expect(await page.locator(".results-group").count()).toBeGreaterThan(0);
    await shop.click();
    await listed(page, ["In between", "Long and cheap", "Short and dear"]);
    expect(param(page, "q")).toBe(null);
  });

  test("adds values with Ctrl, and excludes them with Alt", async () => {
    const { page } = await openPage(server);
    const project = (name: string) =>
      page.locator(".filters").getByRole("button", { name: new RegExp(`^${name}`) });
    await project("shop").click();
    await listed(page, ["Long and cheap", "Short and dear"]);
    await project("blog").click({ modifiers: ["Control"] });
    await listed(page, ["In between", "Long and cheap", "Short and dear"]);
    await expect.poll(() => param(page, "q")).toBe("project:shop,blog");
    await expect.poll(() => page.locator('.filters [aria-pressed="true"]').count()).toBe(2);
    await project("blog").click({ modifiers: ["Alt"] });
    await listed(page, ["Long and cheap", "Short and dear"]);
    await expect.poll(() => param(page, "q")).toBe("-project:blog");
    await page.getByRole("button", { name: "blog excluded" }).click();
    await expect.poll(() => param(page, "q")).toBe(null);
    await project("shop").click();
    await listed(page, ["In between", "Long and cheap", "Short and dear"]);
  });

  test("hides counts of the query before, until those of the new one are known, and has its range at once", async () => {
    const { page } = await openPage(server);
    await listed(page, ["In between", "Long and cheap", "Short and dear"]);
    await page.locator(".facet-count").first().waitFor();
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(
      (url) => url.pathname === "/api/facets",
      async (route) => {
        await held;
        await route.continue();
      },
    );
    await page.getByRole("combobox", { name: "Search sessions" }).fill("yes");
    await listed(page, ["In between", "Long and cheap", "Short and dear"]);
    await page.locator('.facets[aria-busy="true"]').waitFor();
    await page.locator('.days[aria-busy="true"]').waitFor();
    answer();
    await page.locator('.facets[aria-busy="false"]').waitFor();
    await page.getByRole("heading", { name: "Hits over time" }).waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await page.route(
      (url) => url.pathname === "/api/facets",
      () => {},
    );
    await page.goto(new URL("/?since=2026-01-02&until=2026-01-03", page.url()).href);
    await page.getByRole("button", { name: /show all days/ }).waitFor();
    expect(await page.locator(".days-waiting").count()).toBe(1);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  test("selected sessions are pinned to its top, and unpinned by Undo", async () => {
    const { page } = await openPage(server);
    const bar = page.getByRole("toolbar", { name: "Selected sessions" });
    await page.getByRole("checkbox", { name: "Select Short and dear" }).click();
    await bar.getByRole("button", { name: "Pin", exact: true }).click();
    await bar.getByText("Pinned 1 session.").waitFor();
    await listed(page, ["Short and dear", "In between", "Long and cheap"]);
    await bar.getByRole("button", { name: "Undo" }).click();
    await bar.getByText("Unpinned 1 session.").waitFor();
    await listed(page, ["In between", "Long and cheap", "Short and dear"]);
  });
});

describeInBrowser("on a phone", () => {
  test("the help starts at its top; views without data are accessible", async () => {
    const { page, complaints } = await openPage(server, { viewport: { width: 390, height: 640 } });
    await page.getByRole("button", { name: "Help" }).click();
    const help = page.getByRole("dialog", { name: "Keys and queries" });
    await help.waitFor();
    const scrolled = await help.evaluate(({ scrollTop, scrollHeight, clientHeight }) => [
      scrollTop,
      scrollHeight > clientHeight,
    ]);
    expect(scrolled).toEqual([0, true]);
    await page.keyboard.press("Escape");
    for (const [path, text] of [
      ["/nowhere", "Page not found"],
      ["/session/nosuch", "Session not found"],
      ["/?q=nosuchword", "No sessions match"],
    ] as const) {
      await page.goto(new URL(path, server.origin).href);
      await page.getByText(text).first().waitFor();
      expect([path, await findViolations(page)]).toEqual([path, []]);
      const isNarrow = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
      expect([path, isNarrow]).toEqual([path, true]);
    }
    expect(complaints.splice(0).every((message) => message.includes("404"))).toBe(true);
  });
});

test("the facet of models counts the sessions that its filter finds, also those that went on with another model", async () => {
  const own = temporaryFolder();
  const by = (model: string) => ({ provider: "p", model });
  session({ id: "one" }).user("x").assistant("y", by("old")).assistant("z", by("new")).writeUnder(own);
  session({ id: "two" }).user("x").assistant("y", by("never-last")).assistant("z", by("new")).writeUnder(own);
  const served = await serveSynced(own);
  const { facets } = await served.json("/api/facets");
  const searched = await served.json("/api/facets?query=x");
  const toCounts = (models: { value: string; sessions: number }[]) =>
    models.map(({ value, sessions }) => [value, sessions]).sort();
  expect(toCounts(facets.models)).toEqual([
    ["p/never-last", 1],
    ["p/new", 2],
    ["p/old", 1],
  ]);
  expect(toCounts(searched.facets.models)).toEqual(toCounts(facets.models));
  for (const { value, sessions } of facets.models) {
    const { total } = await served.json(`/api/list?${new URLSearchParams({ model: value })}`);
    expect([value, sessions]).toEqual([value, total]);
  }
});
