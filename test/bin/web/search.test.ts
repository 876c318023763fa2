/** The search view, with the sample sessions. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeDemo } from "../../../bin/demo/write-demo.ts";
import { text } from "../../../fixtures/blocks.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidexAt } from "../cli.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { CHROMIUM } from "./chromium.ts";
import { serve, type TestServer } from "./serve.ts";

let folder = "";
let root = "";
let server: TestServer;
let end = async () => {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pidex-demo-"));
  ({ root } = writeDemo(folder, { sessions: 60 }));
  await pidexAt(root, folder)(["index"]);
  const atEnd = (stop: () => Promise<void>) => {
    end = stop;
  };
  if (CHROMIUM) server = await serve(root, { db: join(folder, "index.db"), atEnd });
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

/** The titles of the results, once loaded. */
async function titles(page: Page): Promise<string[]> {
  await page.waitForSelector('.results[aria-busy="false"]');
  return page.locator(".result-title").allTextContents();
}

const search = (page: Page) => page.getByRole("combobox", { name: "Search sessions" });
/** Waits for the sentence that the line above the results is short for. */
const status = (page: Page, { source }: RegExp) =>
  page.waitForFunction(
    (words) =>
      new RegExp(words).test(document.querySelector<HTMLElement>(".found-head [role=status]")?.title ?? ""),
    source,
  );
const addressIs = (page: Page, pattern: RegExp) =>
  page.waitForURL((url) => pattern.test(url.pathname + url.search));

describeInBrowser("the page", () => {
  test("lists all sessions, pinned ones first, then the newest", async () => {
    const { page } = await openPage(server);
    const { sessions, total } = JSON.parse((await pidexAt(root, folder)(["list", "--json"])).out);
    await status(page, new RegExp(`^${total} sessions$`));
    const shown = await titles(page);
    expect(shown.length).toBeGreaterThanOrEqual(40);
    const named = sessions.map(({ title }: Record<string, string>) => title);
    expect(shown.slice(0, 10)).toEqual(
      named.slice(0, 10).map((title: string) => title.replaceAll("`", "").replace(/\s+/g, " ").trim()),
    );
  });

  test("loads more sessions when the end of the list becomes visible", async () => {
    const { page } = await openPage(server);
    const { total } = JSON.parse((await pidexAt(root, folder)(["list", "--json"])).out);
    await page.locator(".result").nth(39).scrollIntoViewIfNeeded();
    await page
      .locator(".result")
      .nth(total - 1)
      .waitFor();
    expect(
      new Set(
        await page.locator(".result-title").evaluateAll((all) => all.map((a) => a.getAttribute("href"))),
      ).size,
    ).toBe(total);
  });

  test("searches as you type, updates the address, and survives a reload", async () => {
    const { page } = await openPage(server);
    await titles(page);
    await page.keyboard.press("/");
    await page.keyboard.type("rounding tax");
    const { sessions } = JSON.parse(
      (await pidexAt(root, folder)(["search", "rounding tax*", "--archived", "no", "--json", "-n", "12"]))
        .out,
    );
    // Each letter sends a request; the last response wins.
    const addresses = () =>
      page
        .locator(".result-title")
        .evaluateAll((all) => all.map((a) => a.getAttribute("href")?.split("?")[0]).sort());
    await expect
      .poll(addresses, { timeout: 15_000 })
      .toEqual(sessions.map((each: { session: { id: string } }) => `/session/${each.session.id}`).sort());
    expect(await page.locator("mark").first().textContent()).toMatch(/tax|rounding/i);
    await addressIs(page, /^\/\?q=rounding\+tax$/);
    await page.reload();
    expect(await search(page).inputValue()).toBe("rounding tax");
    await status(page, /found/);
  });

  test("completes the results of typing at once, without waiting for a pause", async () => {
    const walruses = join(temporaryFolder(), "root");
    for (let n = 0; n < 300; n++)
      session({ id: `w${n}` })
        .user("The walrus")
        .user("walrus")
        .writeUnder(walruses);
    const { page } = await openPage(walruses);
    await status(page, /^300 sessions$/);
    const isQuick: boolean[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/api/search") isQuick.push(searchParams.has("quick"));
    });
    // A pause has no end: the address keeps the query before.
    await page.evaluate(() => {
      const start = window.setTimeout;
      const wait = (run: () => void, ms = 0) => start(run, ms === 250 ? 2 ** 31 - 1 : ms);
      window.setTimeout = wait as typeof window.setTimeout;
    });
    await search(page).focus();
    await page.keyboard.insertText("walrus");
    await expect.poll(() => isQuick, { timeout: 15_000 }).toEqual([true, false]);
    expect(new URL(page.url()).search).toBe("");
  });

  test("the next page is requested only for the query whose results are shown", async () => {
    const walruses = join(temporaryFolder(), "root");
    for (let n = 0; n < 60; n++)
      session({ id: `w${n}` })
        .user(`The walrus number ${n}`)
        .user("walrus")
        .writeUnder(walruses);
    const { page } = await openPage(walruses, { path: "/?q=walrus" });
    await status(page, /^60 sessions found/);
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(
      (url) => url.pathname === "/api/search" && url.searchParams.get("query") !== "walrus",
      async (route) => {
        await held;
        await route.continue();
      },
    );
    await search(page).focus();
    await page.keyboard.type(" number");
    const scrollToEnd = () =>
      page.evaluate(() => {
        scrollTo(0, document.body.scrollHeight);
        return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
      });
    await scrollToEnd();
    await scrollToEnd();
    answer();
    await addressIs(page, /number/);
    // The list of the new query goes on at its end.
    await expect
      .poll(async () => {
        await scrollToEnd();
        return page.locator(".result").count();
      })
      .toBe(60);
  });

  test("a hit links to its entry, with the query", async () => {
    const { page } = await openPage(server, { path: "/?q=rounding" });
    const hit = page.locator(".hit").first();
    const href = (await hit.getAttribute("href")) ?? "";
    expect(href).toMatch(/^\/session\/[^?]+\?entry=[^&]+&q=rounding$/);
  });

  test("keys move from the search field through the results, and open one", async () => {
    const { page } = await openPage(server, { path: "/?q=tax" });
    await status(page, /found/);
    await search(page).focus();
    await page.keyboard.press("ArrowDown");
    const first = page.locator(".result-title").first();
    expect(await first.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("ArrowUp");
    expect(await search(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await addressIs(page, /^\/session\//);
  });

  test("filters by facets, with the counts of the command line", async () => {
    const { page } = await openPage(server, { path: "/?q=tax" });
    await status(page, /found/);
    const { facets } = JSON.parse(
      (await pidexAt(root, folder)(["search", "tax", "--archived", "no", "--facets", "--json"])).out,
    );
    const tools = page.getByRole("region", { name: "Tool" });
    const [tool] = facets.tools;
    await tools.getByRole("button", { name: new RegExp(`^${tool.value}`) }).click();
    await addressIs(page, new RegExp(`tool=${tool.value}`));
    const narrowed = JSON.parse(
      (await pidexAt(root, folder)(["search", `tax tool:${tool.value}`, "--archived", "no", "--json"])).out,
    );
    await status(page, new RegExp(`^${narrowed.sessionCount} sessions? found`));
    await tools.getByRole("button", { pressed: true }).click();
    await addressIs(page, /^\/\?q=tax$/);
    await page.goBack();
    await addressIs(page, /tool=/);
  });

  test("a range of days is selected by keyboard, and excludes other sessions", async () => {
    const { page } = await openPage(server);
    const { total } = JSON.parse((await pidexAt(root, folder)(["list", "--json"])).out);
    await status(page, new RegExp(`^${total} sessions$`));
    const slider = page.getByRole("slider").first();
    await slider.focus();
    for (let n = 0; n < 5; n++) await page.keyboard.press("ArrowRight");
    await addressIs(page, /since=\d{4}-\d\d-\d\d/);
    const since = new URL(page.url()).searchParams.get("since") ?? "";
    const narrowed = JSON.parse((await pidexAt(root, folder)(["list", "--since", since, "--json"])).out);
    expect(narrowed.total).toBeLessThan(total);
    await status(page, new RegExp(`^${narrowed.total} sessions?$`));
  });

  test("completes fields and their values", async () => {
    const { page } = await openPage(server);
    await search(page).focus();
    await page.keyboard.type("proj");
    await page.getByRole("option", { name: "project:" }).waitFor();
    await page.keyboard.press("Tab");
    await page.getByRole("option", { name: "shop" }).waitFor();
    await page.keyboard.type("sh");
    await page.getByRole("option", { name: "shop" }).click();
    expect(await search(page).inputValue()).toBe("project:shop ");
    await expect
      .poll(() =>
        page
          .locator(".result-project")
          .allTextContents()
          .then((all) => [...new Set(all)]),
      )
      .toEqual(["shop"]);
  });

  test("a regular expression searches the files themselves", async () => {
    const { page } = await openPage(server);
    await search(page).fill("re:round(ed|ing)\\b");
    await status(page, /found$/);
    const { hits } = JSON.parse(
      (await pidexAt(root, folder)(["search", "--regex", "round(ed|ing)\\b", "--json"])).out,
    );
    const paths = new Set(hits.map(({ path }: { path: string }) => path));
    await status(page, new RegExp(`^${paths.size} sessions? found$`));
    expect(await page.locator("mark").first().textContent()).toMatch(/round(ed|ing)/i);
  });

  test("a search of the files says that it runs, and offers no export until it is done", async () => {
    const { page } = await openPage(server);
    await titles(page);
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/api/scan?*", async (route) => {
      await held;
      await route.continue();
    });
    await search(page).fill("re:tax");
    await page.getByRole("status").filter({ hasText: "Searching files …" }).waitFor();
    expect(await page.getByRole("button", { name: /^Export/ }).count()).toBe(0);
    answer();
    await page.getByRole("button", { name: /^Export/ }).waitFor();
    await page
      .getByRole("status")
      .filter({ hasText: /^\d+ sessions?/ })
      .waitFor();
  });

  test("the results of a regular expression have costs, counts, days and an export", async () => {
    const { page } = await openPage(server, { path: "/?q=re:tax" });
    const projects = page.getByRole("region", { name: "Project" });
    await projects.getByRole("button").first().waitFor();
    const found = await titles(page);
    expect(await page.locator(".result-cost").count()).toBeGreaterThan(0);
    const counts = await projects.locator(".facet-count").allTextContents();
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(found.length);
    expect(await page.locator(".days-title").textContent()).toBe("Hits over time");
    await page.getByRole("button", { name: `Export ${found.length} sessions` }).click();
    await page.getByText(`Whole sessions: ${found.length} sessions`).waitFor();
    await page.keyboard.press("Escape");
    // A count is a filter, as of other results.
    const shop = projects.getByRole("button", { name: "shop" });
    const inShop = Number(await shop.locator(".facet-count").textContent());
    await shop.click();
    await status(page, new RegExp(`^${inShop} sessions?`));
    expect((await titles(page)).length).toBe(inShop);
  });

  test("a misspelled word finds the closest matches, below a line that says so", async () => {
    const { page } = await openPage(server, { path: "/?q=flakky+vscode" });
    await status(page, /^\d+ closest match(es)?$/);
    const line = page.locator(".closest");
    expect(await line.textContent()).toBe(
      "No session matches every term. Closest matches; corrected: flakky → flaky; missing: vscode. Search for “flaky vscode” or any of these words",
    );
    expect((await titles(page))[0]).toMatch(/flaky/i);
    // Missing words are named once.
    expect(await page.locator(".hit-missing").filter({ hasText: "vscode" }).count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await line.getByRole("button", { name: "flaky", exact: true }).click();
    expect(await search(page).inputValue()).toBe('"flaky"');
    await status(page, /^\d+ sessions? found$/);
    await search(page).fill("flakky vscode");
    await line.getByRole("button", { name: "vscode", exact: true }).waitFor();
    await line.getByRole("button", { name: "Search for “flaky vscode”" }).click();
    expect(await search(page).inputValue()).toBe("flaky vscode");
    await addressIs(page, /^\/\?q=flaky\+vscode$/);
    await line.getByRole("button", { name: "Search for any of these words" }).click();
    expect(await search(page).inputValue()).toBe("flaky OR vscode");
    await status(page, /^\d+ sessions? found$/);
  });

  test("a further hit of a closest match is listed at first only if it has a word that those before it lack", async () => {
    const root = temporaryFolder();
    session({ id: "a" })
      .user("TypeError: Cannot read properties of null")
      .user("read the till")
      .user("this is null")
      .writeUnder(root);
    const { page } = await openPage(root, { path: "/?q=TypeError:+Cannot+read+properties+of+undefined" });
    const hits = page.locator(".hit");
    await hits.first().waitFor();
    expect(await hits.allTextContents()).toEqual([expect.stringContaining("TypeError")]);
    await page.getByRole("button", { name: /more hits?$/ }).click();
    await expect.poll(() => hits.count()).toBe(2);
  });

  test("a misspelled field is an error that offers the query with the field", async () => {
    const { page, complaints } = await openPage(server, { path: "/?q=prject:shop+tax" });
    expect(await page.getByRole("alert").textContent()).toMatch(/^Unknown field prject:/);
    await page.getByRole("button", { name: "Search for “project:shop tax”" }).click();
    expect(await search(page).inputValue()).toBe("project:shop tax");
    await status(page, /^\d+ sessions? found$/);
    expect(complaints.splice(0).every((message) => message.includes("400"))).toBe(true);
  });

  test("a query with a misspelled word alone has the results of the corrected one, with their counts", async () => {
    const { page } = await openPage(server, { path: "/?q=flakky" });
    await status(page, /^\d+ sessions? found for “flaky”: nothing matches as typed$/);
    const [count] = (await page.locator(".found-head p").textContent())?.split(" ") ?? [];
    await page
      .locator(".facet-count", { hasText: new RegExp(`^${count}$`) })
      .first()
      .waitFor();
    expect((await page.locator(".result mark").first().textContent())?.toLowerCase()).toBe("flaky");
    // The session highlights the corrected word.
    expect(await page.locator(".result-title").first().getAttribute("href")).toMatch(/[?&]q=flaky$/);
    // What was typed may have been meant.
    await page.getByRole("button", { name: "Search for “flakky” instead" }).click();
    await page.getByText("Not in the index: flakky").waitFor();
    expect(await search(page).inputValue()).toBe('"flakky"');
  });

  test("the title of a result without highlighted words opens the session at its first hit", async () => {
    const { page } = await openPage(server, { path: "/?q=is%3Aerror" });
    await status(page, /sessions found$/);
    const first = page.locator(".result").first();
    const at = await first.locator(".hit").first().getAttribute("href");
    expect(at).toMatch(/[?&](entry|line)=/);
    expect(await first.locator(".result-title").getAttribute("href")).toBe(at);
    await page.goto(new URL("/?q=flaky", page.url()).href);
    await status(page, /^\d+ sessions? found/);
    expect(await page.locator(".result-title").first().getAttribute("href")).not.toMatch(/[?&](entry|line)=/);
  });

  test("without results it says why, and one key searches the files themselves", async () => {
    const { page } = await openPage(server, { path: "/?q=zzzyyx&cwd=%2Fnowhere" });
    await page.getByText("No sessions match “zzzyyx” with these filters.").waitFor();
    await page.getByText("Not in the index: zzzyyx").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await addressIs(page, /^\/\?q=zzzyyx$/);
    await page.getByRole("button", { name: /Search the files themselves/ }).waitFor();
    await search(page).fill("round(");
    await search(page).press("Shift+Enter");
    expect(await search(page).inputValue()).toBe("re:round\\(");
  });

  test("exports the filtered results", async () => {
    const { page } = await openPage(server, { path: "/?q=tax&tool=bash&since=2020" });
    await status(page, /found/);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.getByRole("button", { name: /^Export/ }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("dialog").getByRole("button", { name: "Export" }).click(),
    ]);
    expect(await page.locator("a[href^='/api/']").count()).toBe(0); // links opened in a new tab would lack the key
    const params = new URL(requests.find((url) => url.includes("/api/export")) ?? "").searchParams;
    expect(Object.fromEntries(params)).toEqual({
      ...{ search: "tax* tool:bash", since: "2020", archived: "no" },
      ...{ format: "html", images: "true", redact: "true" },
    });
    const shown = (await page.locator(".found-head p").textContent()) ?? "";
    const exported = (await page.locator(".export-link").textContent()) ?? "";
    const counts = [...shown.matchAll(/[\d,]+(?= (?:session|closest))/g)].map(([count]) =>
      Number(count.replace(",", "")),
    );
    expect(exported).toContain(`Export ${counts.reduce((sum, count) => sum + count, 0)} session`);
    expect(download.suggestedFilename()).toBe("pidex-search.html");
  });

  test("one or two letters search titles", async () => {
    const { page } = await openPage(server);
    await search(page).fill("db");
    await status(page, /found/);
    for (const title of await titles(page)) expect(title.toLowerCase()).toMatch(/db|./);
    expect((await titles(page)).join()).toContain("db-1");
  });

  test("an invalid query shows an error with a hint", async () => {
    const { page, complaints } = await openPage(server);
    await search(page).fill("re:(");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toMatch(/\(/);
    await search(page).fill("since:nonsense- tax");
    await page
      .getByRole("alert")
      .getByText(/nonsense/)
      .waitFor();
    complaints.length = 0; // the browser logs each 400 response
  });

  test("is accessible, in light and dark, on a desktop and on a phone", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await openPage(server, { colorScheme, path: "/?q=tax" });
      await status(page, /found/);
      expect(await findViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 800 });
      await page.getByRole("button", { name: "Filters" }).click();
      expect(await findViolations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    }
  });

  test("a view that fails shows a message, and the others work", async () => {
    const { page } = await openPage(server, { path: "/health" });
    await page.route("**/api/list?*", (route) => route.fulfill({ json: { sessions: [null], total: 1 } }));
    await page.getByRole("link", { name: "Sessions", exact: true }).click();
    await page.getByRole("heading", { name: "This view failed" }).waitFor();
    await page.unroute("**/api/list?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await status(page, /sessions$/);
  });

  test("the selected theme is stored", async () => {
    const { page } = await openPage(server);
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    const button = page.getByRole("button", { name: /^Theme/ });
    await button.click(); // the first click changes what is seen
    expect(await ground()).not.toBe(light);
    await page.reload();
    expect(await ground()).not.toBe(light);
  });
});

describeInBrowser("sessions that come and change while the page is open", () => {
  test("are displayed automatically", async () => {
    const own = temporaryFolder();
    const first = session({ id: "one" }).user("Where is the needle?").assistant("In the haystack.");
    const path = first.writeUnder(own);
    const { page } = await openPage(own);
    await page.getByText("Where is the needle?").waitFor();
    session({ id: "two", timestamp: "2026-01-06T09:00:00.000Z" })
      .user("A second session")
      .assistant("Yes.")
      .writeUnder(own);
    await page.getByText("A second session").waitFor();
    first.assistant("And another answer.").appendTo(path);
    await page.getByText("3 messages").waitFor();
  });

  test("hostile ones are displayed as text, and none of their scripts run", async () => {
    const own = temporaryFolder();
    const markup = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    session({ id: "evil", cwd: `/home/ada/${"<b>shop</b>"}` })
      .user(`${markup} needle \u202egnp.exe\u0007`)
      .assistant([text(`needle ${markup} [x](javascript:alert(1))`)], { model: "<i>model</i>" })
      .entry({ type: "session_info", name: `${markup} \u202e named` })
      .writeUnder(own);
    const { page } = await openPage(own, { path: "/?q=needle" });
    await page.locator(".hit").first().waitFor();
    expect(await page.title()).toBe("needle · pidex");
    expect(await page.locator(".result-title").first().textContent()).toContain(markup.slice(0, 40));
    expect(await page.locator("main img, main script, main b, main i").count()).toBe(0);
    const shownText = (await page.locator("main").textContent()) ?? "";
    expect(["\u202e", "\u0007"].filter((sign) => shownText.includes(sign))).toEqual([]);
  });

  test("while the server does not respond, the last results stay below the message, and go on afterwards", async () => {
    const { page, complaints } = await openPage(server);
    await page.locator(".result-title").first().waitFor();
    const before = await page.locator(".result-title").allTextContents();
    await page.route("**/api/{search,list,facets,complete}*", (route) => route.abort());
    await search(page).fill("checkout");
    await page.getByRole("alert").getByText("pidex serve does not respond").waitFor();
    expect(await page.locator(".result-title").allTextContents()).toEqual(before);
    expect(await page.locator(".found-stale").count()).toBe(1);
    await page.unroute("**/api/{search,list,facets,complete}*");
    // The page also tries again when sessions change.
    const isGone = page.getByRole("alert").waitFor({ state: "detached" });
    await Promise.any([page.getByRole("button", { name: "Try again" }).click(), isGone]);
    await isGone;
    await page.waitForFunction(() =>
      /found/.test(document.querySelector<HTMLElement>(".found-head [role=status]")?.title ?? ""),
    );
    expect(await page.locator(".found-stale").count()).toBe(0);
    complaints.splice(0); // the refused requests
  });
});
