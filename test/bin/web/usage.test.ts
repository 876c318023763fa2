import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseSearchState, toSearchRequest } from "../../../bin/web/page/search/search-state.ts";
import { apiUrl } from "../../../bin/web/page/shell/api.ts";
import { PI, pidexAt } from "../cli.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serve, type TestServer } from "./serve.ts";

let folder = "";
let server: TestServer;
let end = async () => {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pidex-usage-"));
  await pidexAt(PI, folder)(["index"]);
  const atEnd = (stop: () => Promise<void>) => {
    end = stop;
  };
  server = await serve(PI, { db: join(folder, "index.db"), atEnd });
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

/** The output of the command line. */
const out = async (...argv: string[]) => (await pidexAt(PI, folder)(argv)).out;
// biome-ignore lint/suspicious/noExplicitAny: any JSON
const json = async (...argv: string[]): Promise<any> => JSON.parse(await out(...argv, "--json"));

describe("usage routes", () => {
  test.each([
    ["daily --time-zone UTC", "by=day&timeZone=UTC"],
    [
      "weekly --by model --week-start sunday --time-zone Asia/Tokyo",
      "by=week&by=model&weekStart=sunday&timeZone=Asia/Tokyo",
    ],
    ["session -n 3 --subagents no --time-zone UTC", "by=session&limit=3&subagents=no&timeZone=UTC"],
    [
      "tool --since 2026-02-01 --project shop --time-zone UTC",
      "by=tool&since=2026-02-01&project=shop&timeZone=UTC",
    ],
  ])("return the output of pidex usage %s", async (argv, params) => {
    const args = argv.split(" ");
    expect(await server.json(`/api/usage?${params}`)).toEqual(await json("usage", ...args));
    const csv = await server.fetch(`/api/usage.csv?${params}`);
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toContain("attachment");
    expect(await csv.text()).toBe(await out("usage", ...args, "--csv"));
  });

  test("return the output of pidex spend for a session", async () => {
    const { rows } = (await json("usage", "session")).usage;
    const { id } = rows[0].session;
    expect(await server.json(`/api/spend?session=${id}`)).toEqual(await json("spend", id));
  });

  test("refuse invalid parameters with a hint", async () => {
    for (const [request, status] of [
      ["usage?by=color", 400],
      ["usage?by=day&by=day", 400],
      ["usage?budget=much", 400],
      ["usage?limit=-1", 400],
      ["usage?color=red", 400],
      ["spend?session=nosuch", 404],
      ["spend", 400],
    ] as const) {
      const response = await server.fetch(`/api/${request}`);
      expect([request, response.status]).toEqual([request, status]);
      expect((await response.json()).error.hint).not.toBe("");
    }
  });
});

const RANGE = "since=2026-01-26&until=2026-02-15";
const figure = (page: Page, name: string) =>
  page.locator(`[data-figure="${name}"]`).getAttribute("data-value");
const hand = (page: Page) => page.getByRole("slider", { name: /^(Cost|Tokens) by \w+ and/ });
/** The rows of a chart's table: the first column and the cost in nano-dollars. */
const rowsIn = (page: Page, title: string) =>
  page
    .getByRole("table", { name: title, exact: true })
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => [row.querySelector("th")?.textContent, Number((row as HTMLElement).dataset.cost)]),
    );
/** The same for a response. */
const rowsOf = (rows: { key: Record<string, string | null>; costNanoUsd: number }[], by: string) =>
  rows.map(({ key, costNanoUsd }) => [
    key[by] ?? (by === "model" ? "(model not recorded)" : "(no time)"),
    costNanoUsd,
  ]);

describeInBrowser("the usage view", () => {
  test("shows the same numbers as the command line in cards, charts, tables and CSV", async () => {
    const { page } = await openPage(server, {
      path: `/usage?${RANGE}&zone=Pacific/Kiritimati&budget=200/month`,
    });
    const when =
      "--since 2026-01-25T10:00:00.000Z --until 2026-02-14T10:00:00.000Z --time-zone Pacific/Kiritimati".split(
        " ",
      );
    const inUtc = "--since 2026-01-26T00:00:00.000Z --until 2026-02-15T00:00:00.000Z --time-zone UTC".split(
      " ",
    );
    const crossed = ["usage", "daily", "--by", "model", ...when];
    const { usage } = await json(...crossed);
    const { total } = (await json("usage", "model", ...when)).usage;
    expect(usage.rows.length).toBeGreaterThan(5);
    await hand(page).waitFor();
    const sessions = (await json("usage", "session", ...when)).usage;
    const own = (await json("usage", "session", "--subagents", "no", ...when)).usage.total;
    const only = (await json("usage", "session", "--subagents", "only", ...when)).usage.total;
    await expect.poll(() => figure(page, "Without subagents")).toBe(`${own.costNanoUsd} ${only.costNanoUsd}`);
    await expect.poll(() => figure(page, "Sessions")).toBe(String(sessions.rowCount));
    expect(await figure(page, "Cost")).toBe(String(total.costNanoUsd));
    expect(await figure(page, "Tokens")).toBe(String(total.tokens.total));
    expect(await figure(page, "Cache hits")).toBe(String(total.cacheHitRate));
    expect(await figure(page, "Tool calls")).toBe(String(total.toolCalls));
    const { budget } = (await json("usage", "--budget", "200/month", "--time-zone", "Pacific/Kiritimati"))
      .usage;
    expect(await page.locator(".budget").getAttribute("data-spent")).toBe(String(budget.spentUsd));

    const title = "Cost by day and model";
    await page.getByRole("button", { name: `${title}: table` }).click();
    const expected = rowsOf(usage.rows, "day");
    expect(await rowsIn(page, title)).toEqual(expected);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: `${title}: CSV` }).click(),
    ]);
    expect(readFileSync(await download.path(), "utf8")).toBe(await out(...crossed, "--csv"));
    await page.getByRole("button", { name: "By model: table" }).click();
    const models = (await json("usage", "model", ...when)).usage.rows;
    expect(await rowsIn(page, "By model")).toEqual(rowsOf(models, "model"));

    // Days start in the selected time zone.
    const utc = (await json("usage", "daily", "--by", "model", ...inUtc)).usage.rows;
    const inZone = rowsOf(utc, "day");
    expect(inZone).not.toEqual(expected);
    await page.locator('[name="zone"]').selectOption("UTC");
    await expect.poll(() => rowsIn(page, title)).toEqual(inZone);

    // Keys move the cursor from bar to bar; the text omits a hidden series.
    await page.getByRole("button", { name: `${title}: table` }).click();
    await hand(page).focus();
    const text = async () => (await hand(page).getAttribute("aria-valuetext")) ?? "";
    await page.keyboard.press("End");
    expect(await text()).toMatch(/^14 Feb 2026: \$/);
    await page.keyboard.press("Home");
    expect(await text()).toMatch(/^26 Jan 2026: \$/);
    await page.keyboard.press("ArrowRight");
    expect(await text()).toMatch(/^27 Jan 2026: \$/);
    const [first] = await page.locator(".legend-name").allTextContents();
    for (let n = 0; n < 20 && !(await text()).includes(`; ${first} `); n++)
      await page.keyboard.press("ArrowRight");
    expect(await text()).toContain(`; ${first} `);
    const item = page.locator(".legend-item").first();
    await item.click();
    expect(await item.getAttribute("aria-pressed")).toBe("false");
    expect(await text()).not.toContain(`; ${first} `);
  });

  test("keeps all options in the address", async () => {
    const path = `/usage?${RANGE}&zone=Asia/Tokyo&measure=tokens&by=project&per=week&week=sunday&model=claude`;
    const { page } = await openPage(server, { path });
    await page.getByRole("slider", { name: "Tokens by week and project" }).waitFor();
    for (const [name, value] of [
      ["zone", "Asia/Tokyo"],
      ["by", "project"],
      ["per", "week"],
      ["week", "sunday"],
      ["model", "claude"],
    ] as const)
      expect(await page.locator(`[name="${name}"]`).inputValue()).toBe(value);
    await page.locator('[name="by"]').selectOption("kind");
    await page.getByRole("button", { name: "Cost", exact: true }).click();
    await page.getByRole("slider", { name: "Cost by week and kind" }).waitFor();
    const params = new URL(page.url()).searchParams;
    expect(Object.fromEntries(params)).toMatchObject({ by: "kind", since: "2026-01-26", per: "week" });
    await page.goBack();
    await page.getByRole("slider", { name: "Tokens by week and kind" }).waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get("range") === "all" && !url.searchParams.has("since"));
    const only = page.getByRole("button", { name: /^Filter to this session: / }).first();
    await only.click();
    await page.locator('tr[data-part="own"]').waitFor();
    expect(new URL(page.url()).searchParams.get("session")).not.toBe(null);
  });

  test("a range is selected by keyboard and by mouse, and cleared", async () => {
    const { page } = await openPage(server, { path: `/usage?${RANGE}&zone=UTC` });
    const since = page.getByRole("slider", { name: "First day" });
    const until = page.getByRole("slider", { name: "Last day" });
    await since.focus();
    expect(await since.getAttribute("aria-valuetext")).toBe("26 Jan 2026");
    expect(await until.getAttribute("aria-valuetext")).toBe("14 Feb 2026");
    const params = () => Object.fromEntries(new URL(page.url()).searchParams);
    await page.keyboard.press("ArrowRight");
    await expect.poll(params).toMatchObject({ since: "2026-01-27", until: "2026-02-15" });
    await page.keyboard.press("Shift+ArrowLeft");
    await expect.poll(params).toMatchObject({ since: "2026-01-27", until: "2026-02-14" });
    await expect.poll(() => until.getAttribute("aria-valuetext")).toBe("13 Feb 2026");
    await page.keyboard.press("Escape");
    await expect.poll(params).toEqual({ range: "all", zone: "UTC" });

    const plot = (await page.locator(".histogram-plot").boundingBox()) as {
      x: number;
      y: number;
      width: number;
    };
    await page.mouse.move(plot.x + plot.width * 0.25, plot.y + 20);
    await page.mouse.down();
    await page.mouse.move(plot.x + plot.width * 0.5, plot.y + 20, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => Object.keys(params()).sort()).toEqual(["since", "until", "zone"]);
    const brushed = params();
    expect((brushed.since as string) < (brushed.until as string)).toBe(true);
    const edge = (await until.boundingBox()) as { x: number; y: number; width: number };
    await page.mouse.move(edge.x + edge.width / 2, edge.y + 20);
    await page.mouse.down();
    await page.mouse.up();
    expect(params()).toEqual(brushed); // clicked, not moved
    await page.mouse.down();
    await page.mouse.move(edge.x + edge.width / 2 + plot.width * 0.2, edge.y + 20, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => (params().until as string) > (brushed.until as string)).toBe(true);
    expect(params().since).toBe(brushed.since);
    const first = Date.parse(brushed.since as string);
    expect(await since.getAttribute("aria-valuenow")).toBe(String(first / 86_400_000));
  });

  test("shows cost by project and model, sorted by any column, with links to the sessions", async () => {
    const range = "since=2026-01-26&until=2026-02-05";
    const inUtc = ["--since", "2026-01-26", "--until", "2026-02-05", "--time-zone", "UTC"];
    const { page } = await openPage(server, { path: `/usage?${range}&zone=UTC` });
    const table = page.getByRole("table", { name: "Cost by project and model", exact: true });
    const total = table.locator("tfoot td").last();
    await total.waitFor();
    const { usage } = await json("usage", "project", "--by", "model", ...inUtc);
    expect(await total.getAttribute("data-value")).toBe(String(usage.total.costNanoUsd));
    const amounts = await table
      .locator("tbody td:last-child")
      .evaluateAll((cells) => cells.map((cell) => Number((cell as HTMLElement).dataset.value)));
    expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(usage.total.costNanoUsd);

    const header = table.getByRole("columnheader", { name: "claude-sonnet-4-5" });
    expect(await header.getAttribute("aria-sort")).toBe(null);
    await header.getByRole("button").click();
    await expect.poll(() => header.getAttribute("aria-sort")).toBe("descending");
    await header.getByRole("button").click();
    await expect.poll(() => header.getAttribute("aria-sort")).toBe("ascending");
    const { sort, order } = Object.fromEntries(new URL(page.url()).searchParams);
    expect([sort, order]).toEqual(["anthropic/claude-sonnet-4-5", "asc"]);

    const links = await table
      .locator("tbody td a")
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    const cells = usage.rows.filter(
      ({ key, costNanoUsd }: { key: Record<string, string | null>; costNanoUsd: number }) =>
        key.project !== null && key.model !== null && costNanoUsd > 0,
    );
    expect(cells.length).toBeGreaterThan(1);
    for (const { key } of cells) {
      const cell = ["--cwd", key.project, "--model", key.model, ...inUtc];
      const { rows } = (await json("usage", "session", ...cell)).usage;
      const q = `project:${key.project} model:${key.model}`;
      const params = links.map((link) => new URL(link).searchParams).find((each) => each.get("q") === q);
      const request = toSearchRequest(parseSearchState(Object.fromEntries(params ?? [])));
      const found = await server.json(apiUrl(request.by, request.params));
      const ids = (list: { session: { id: string } }[]) => list.map(({ session }) => session.id).sort();
      expect(ids(found.sessions)).toEqual(ids(rows));
    }
    await table.locator("tbody td a").first().click();
    await page.locator(".result").first().waitFor();
    await page.goBack();
    await table.locator("tbody th a").first().click();
    await expect.poll(() => table.locator("tbody tr").count()).toBe(1);
    const { project } = Object.fromEntries(new URL(page.url()).searchParams);
    await expect.poll(() => page.locator('[name="project"]').inputValue()).toBe(project);
  });

  test("opens rankings to all of their rows, and leads from rows and bars to sessions", async () => {
    const { page } = await openPage(server, { path: "/usage?range=all&zone=UTC&per=month" });
    const { rows } = (await json("usage", "session")).usage;
    const ranking = page.getByRole("list", { name: "Costliest sessions" }).getByRole("listitem");
    const open = page.getByRole("button", { name: `Show all ${rows.length} sessions` });
    await open.click();
    await expect.poll(() => ranking.count()).toBe(rows.length);
    expect(new URL(page.url()).searchParams.get("open")).toBe("sessions");
    await page.getByRole("button", { name: "Show fewer sessions" }).click();
    await expect.poll(() => ranking.count()).toBe(14);

    const tools = page.getByRole("list", { name: "Calls by tool" }).getByRole("link");
    const tool = await tools.first().textContent();
    await tools.first().click();
    await page.locator(".result").first().waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe(`tool:${tool}`);
    await page.goBack();

    await hand(page).focus();
    await page.keyboard.press("Home");
    while ((await hand(page).getAttribute("aria-valuetext"))?.endsWith("$0.00"))
      await page.keyboard.press("ArrowRight");
    const month = ((await hand(page).getAttribute("aria-valuetext")) ?? "").split(":")[0];
    const begins = new Date(`1 ${month} UTC`);
    const ends = new Date(Date.UTC(begins.getUTCFullYear(), begins.getUTCMonth() + 1));
    const [since, until] = [begins, ends].map((at) => at.toISOString().slice(0, 10));
    await page.keyboard.press("Enter");
    await page.locator(".result").first().waitFor();
    const params = Object.fromEntries(new URL(page.url()).searchParams);
    expect(params).toEqual({ usage: "yes", since, until });
  });

  test("says which filter finds nothing, in place of figures of 0", async () => {
    const { page } = await openPage(server, { path: "/usage?range=all&project=nowhere" });
    await page.getByText("No usage with these filters.").waitFor();
    await page.getByText("No session has the project “nowhere”.").waitFor();
    expect(await page.getByText("$0.00").count()).toBe(0);
    // Emptying it may already load the charts, whose labels have the word, too.
    const project = page.getByRole("combobox", { name: "Project", exact: true });
    await project.fill("");
    await project.press("Enter");
    await page.getByRole("heading", { name: "Cost by project and model" }).waitFor();
  });

  test("goes to earlier ranges and years, and from an empty range to the last one with usage", async () => {
    const { page } = await openPage(server, {
      path: "/usage?since=2026-08-01&until=2026-09-01&zone=UTC",
    });
    const last = (await json("usage", "daily", "--time-zone", "UTC")).usage.rows
      .map(({ key }: { key: { day: string | null } }) => key.day)
      .findLast((day: string | null) => day !== null && day < "2026-08-01");
    await page.getByText("No tools in this range.").waitFor();
    await page.getByRole("link", { name: /^Show / }).click();
    const params = () => Object.fromEntries(new URL(page.url()).searchParams);
    await expect.poll(() => params().since).toBe(`${last.slice(0, 7)}-01`);
    await hand(page).waitFor();
    const { since } = params();
    await page.getByRole("button", { name: "Later", exact: true }).click();
    await expect.poll(() => (params().since as string) > (since as string)).toBe(true);
    await page.getByRole("button", { name: "Earlier", exact: true }).click();
    await expect.poll(() => params().since).toBe(since);

    await page.goto(`${server.origin}/usage?range=all&zone=UTC`);
    const thisYear = new Date().getUTCFullYear();
    await page.getByRole("slider", { name: "Cost by day, last 12 months" }).waitFor();
    await page.getByRole("button", { name: "Previous year" }).click();
    await page.getByRole("slider", { name: `Cost by day, ${thisYear - 1}` }).waitFor();
    await page.getByRole("button", { name: "Next year" }).click();
    await page.getByRole("slider", { name: "Cost by day, last 12 months" }).waitFor();
  });

  test("compares the cost with that of the range before", async () => {
    const range = "since=2026-02-01&until=2026-03-01&zone=UTC";
    const { page } = await openPage(server, { path: `/usage?${range}` });
    const costOf = async (since: string, until: string) =>
      (await json("usage", "model", "--since", since, "--until", until, "--time-zone", "UTC")).usage.total
        .costUsd;
    const before = await costOf("2026-01-01", "2026-02-01");
    const cost = await costOf("2026-02-01", "2026-03-01");
    const percent = Math.round((100 * (cost - before)) / before);
    expect(before).toBeGreaterThan(0);
    const card = page.locator(".figure-card").filter({ has: page.locator('[data-figure="Cost"]') });
    const amount = Math.abs(percent).toLocaleString("en-US");
    await expect
      .poll(() => card.textContent())
      .toMatch(new RegExp(`${percent > 0 ? "↑" : "↓"} ${amount}% ${percent > 0 ? "more" : "less"}`));
    await card.getByText(`vs. $${before.toFixed(2)} in January 2026`, { exact: true }).waitFor();

    // Facts break between facts, and no line begins or ends with a separator.
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const { facts, lines, indents } = await page.locator(".figure-more").evaluateAll((all) => {
        const boxes = all.map((box) => {
          const left = box.getBoundingClientRect().left;
          return [...box.children].map((fact) => {
            const { left: at, top } = fact.getBoundingClientRect();
            return { top, indent: at + Number.parseFloat(getComputedStyle(fact).paddingLeft) - left };
          });
        });
        const firsts = boxes.flatMap((box) => box.filter(({ top }, n) => top !== box[n - 1]?.top));
        return {
          facts: boxes.flat().length,
          lines: firsts.length,
          indents: [...new Set(firsts.map(({ indent }) => Math.round(indent)))],
        };
      });
      expect([width, facts > lines, indents]).toEqual([width, true, [0]]);
      expect((await page.locator(".figure-more").allInnerTexts()).join("")).not.toContain("·");
    }
  });

  test("has nothing outside of its card, at any width", async () => {
    const { page } = await openPage(server, { path: "/usage?range=all&by=project&open=series,sessions" });
    await hand(page).waitFor();
    await page.getByRole("list", { name: "Calls by tool" }).waitFor();
    for (const width of [390, 1024, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      const outside = () =>
        page.locator("main .card *").evaluateAll((all) =>
          all.flatMap((element) => {
            const card = element.parentElement?.closest(".card");
            const clipped = element.parentElement?.closest(".table-scroll, .heatmap-scroll, .ranking-name");
            if (!card || clipped) return [];
            const [inner, outer] = [element.getBoundingClientRect(), card.getBoundingClientRect()];
            const isInside =
              inner.width === 0 || (inner.left >= outer.left && inner.right <= outer.right + 1);
            return isInside ? [] : `${element.tagName} ${element.textContent?.slice(0, 40)}`;
          }),
        );
      // Charts are drawn again after the layout.
      await expect.poll(outside, { message: `${width} px` }).toEqual([]);
    }
  });

  test("fits its controls into lines, and fills each row of cards", async () => {
    const { page } = await openPage(server, { path: "/usage?range=all" });
    await page.getByRole("list", { name: "Calls by tool" }).waitFor();
    await page.getByRole("list", { name: "Costliest sessions" }).waitFor();
    const box = async (selector: string) => {
      const found = await page.locator(selector).first().boundingBox();
      if (!found) throw new Error(`${selector} is not displayed`);
      return { ...found, right: found.x + found.width, bottom: found.y + found.height };
    };
    for (const width of [390, 1024, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      const more = await page.getByRole("button", { name: "More", exact: true }).boundingBox();
      const model = await box('[name="model"]');
      expect([width, Math.abs(model.y - (more?.y ?? 0)) < 8]).toEqual([width, true]);
      const heights = await page
        .locator(".controls :is(.button, .field)")
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height).filter(Boolean));
      expect([width, [...new Set(heights)]]).toEqual([width, [heights[0]]]);
      const range = page.getByRole("combobox", { name: "Range" });
      expect([width, await range.isVisible()]).toEqual([width, width === 390]);
      // Days fill their card up to its padding, and are scrolled to the last one where they don't fit.
      const [card, days] = [await box(".usage-calendar .card"), await box(".heatmap-scroll")];
      expect(card.right - days.right).toBeLessThan(24);
      const last = await box(".heatmap-plot");
      expect([width, Math.abs(last.right - days.right) < 3]).toEqual([width, true]);
    }
    for (const width of [1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      for (const list of [".usage-values", ".usage-tools", ".usage-sessions"]) {
        // Cards are as high as the highest of their row, which changes while they load.
        const unused = async () =>
          (await box(`${list} .card`)).bottom - (await box(`${list} .card > :last-child`)).bottom;
        await expect.poll(unused, { message: list }).toBeLessThan(32);
      }
    }
    const [time, matrix] = [await box(".usage-time .card"), await box(".usage-matrix .card")];
    expect([time.y, time.bottom]).toEqual([matrix.y, matrix.bottom]);
    expect(matrix.right).toBeGreaterThan(1800);

    await page.getByRole("button", { name: "More", exact: true }).click();
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const { lines, right } = await page.locator(".controls-rest .field").evaluateAll((fields) => {
        const boxes = fields.map((field) => field.getBoundingClientRect());
        return {
          lines: new Set(boxes.map(({ top }) => top)).size,
          right: Math.max(...boxes.map(({ right }) => right)),
        };
      });
      const { right: end } = await box(".controls");
      expect([width, lines, right < end + 1]).toEqual([width, width === 390 ? 2 : 1, true]);
    }

    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("combobox", { name: "Range" }).selectOption("7 days");
    await page.waitForURL((url) => url.searchParams.get("range") === "7d");
  });

  test("is accessible, in light and dark, on a desktop and on a phone", async () => {
    const { page } = await openPage(server, { path: "/usage?range=all&budget=200/month" });
    await hand(page).waitFor();
    await page.getByRole("button", { name: "Tools: table" }).click();
    expect(await findViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await findViolations(page)).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
  });
});
