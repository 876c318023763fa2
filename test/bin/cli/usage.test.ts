import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import SQLite from "better-sqlite3";
import stringWidth from "string-width";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DIMENSIONS } from "../../../bin/cli/usage-dimensions.ts";
import { formatDollars } from "../../../bin/format/numbers.ts";
import { session } from "../../../fixtures/builder.ts";
import { USAGE_DIMENSIONS } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { cellsOf, linesOf, PI, pidexAt } from "../cli.ts";

const folder = mkdtempSync(join(tmpdir(), "pidex-cli-"));
const run = pidexAt(PI, folder);
/** The usage of all days, if the arguments don't begin with a dimension. */
const usage = async (...argv: string[]) => {
  const words = /^[a-z]/.test(argv[0] ?? "") || argv.includes("--by") ? argv : ["daily", ...argv];
  return JSON.parse((await run(["usage", ...words, "--json"])).out).usage;
};

beforeAll(async () => void (await run(["index"])));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Dollars as printed for scripts, with nine decimals. */
const nano = (text = "") => Math.round(Number(text) * 1e9);
const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

/** Parses CSV as in RFC 4180. */
function parsedCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n"]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end !== ",") rows.push([]);
  }
  return rows.filter((row) => row.length > 1);
}

test("every dimension of the library has a name on the command line", () => {
  expect([...new Set(Object.values(DIMENSIONS))].sort()).toEqual([...USAGE_DIMENSIONS].sort());
});

test("on a terminal, one row per day with the figures of JSON, and the total", async () => {
  const { rows, total } = await usage("--time-zone", "UTC");
  const lines = linesOf((await run(["usage", "daily", "--time-zone", "UTC"], { columns: 120 })).out);
  expect(lines[0]).toMatch(
    /^DAY +COST +RESPONSES +IN +OUT +CACHE READ +CACHE WRITE +CACHE HIT +CALLS +FAILED$/,
  );
  const shown = lines.slice(1, rows.length + 2).map((line) => line.split(/ {2,}/).slice(0, 4));
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  const expected = ({ costUsd, messages, tokens }: any) => [
    formatDollars(costUsd),
    String(messages),
    tokens.input.toLocaleString("en-US"),
  ];
  expect(shown).toEqual([
    ...rows.map((row: { key: { day: string } }) => [row.key.day, ...expected(row)]),
    ["TOTAL", ...expected(total)],
  ]);
});

test("dates are those of --time-zone and --week-start, also with --explain", async () => {
  const zone = ["--time-zone", "Pacific/Kiritimati"];
  const [row] = (await usage(...zone)).rows;
  const next = new Date(Date.parse(row.key.day) + 86_400_000).toISOString().slice(0, 10);
  const day = [...zone, "--since", row.key.day, "--until", next];
  expect((await usage(...day)).rows).toEqual([{ ...row, runningCostUsd: row.costUsd }]);
  const explained = linesOf((await run(["usage", "--explain", "--csv", ...day])).out).slice(1);
  expect(sum(explained.map((line) => nano(line.split(",")[3])))).toBe(nano(row.costUsd));
});

test("in a pipe and in CSV, rows add up to the total, including those omitted by -n", async () => {
  for (const argv of [
    ["model"],
    ["session", "--by", "tool"],
    ["weekly", "--by", "branch"],
    ["daily", "-n", "2"],
  ]) {
    const { rows, total, by, others } = await usage(...argv);
    const { out, err } = await run(["usage", ...argv]);
    const cells = cellsOf(out);
    expect(err).toBe("");
    expect(cells).toHaveLength(rows.length + (others ? 1 : 0));
    expect(sum(cells.map((row) => nano(row[by.length])))).toBe(total.costNanoUsd);
    expect(sum(cells.map((row) => Number(row[by.length + 1])))).toBe(total.messages);
    const [header = [], ...body] = parsedCsv((await run(["usage", ...argv, "--csv"])).out);
    expect(header.slice(0, by.length + 2)).toEqual([...by, "costUsd", "messages"]);
    expect(body).toEqual(cells);
    for (const row of cells) expect(row).toHaveLength(header.length);
  }
});

test("--by selects the dimensions, with or without a first one", async () => {
  const project = await usage("project");
  expect(await usage("--by", "project")).toEqual(project);
  const both = await usage("project", "--by", "model");
  expect(await usage("--by", "project,model")).toEqual(both);
  expect(await usage("--by", "project", "--by", "model")).toEqual(both);
  expect(both.by).toEqual(["project", "model"]);
});

test("two dimensions form groups, each with a sum", async () => {
  const { rows } = await usage("model", "--by", "project");
  const { out } = await run(["usage", "model", "--by", "project"], { columns: 120 });
  const lines = linesOf(out).slice(1);
  const groups = Map.groupBy<string, { key: { model: string }; costUsd: number }>(
    rows,
    ({ key }: { key: { model: string } }) => key.model,
  );
  const total = lines.findIndex((line) => line.startsWith("TOTAL"));
  const heads = lines.slice(0, total).filter((line) => !line.startsWith("  "));
  expect(heads.map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual(
    [...groups].map(([model, those]) => [
      model ?? "(model not recorded)",
      formatDollars(sum(those.map(({ costUsd }) => costUsd))),
    ]),
  );
});

test("-n limits the rows of groups, not their sums", async () => {
  const [first = "", second] = ["monthly", "model"];
  const whole = await usage(first, "--by", second);
  const { groups, otherGroups, rows, total } = await usage(first, "--by", second, "-n", "3");
  for (const group of groups) {
    const own = whole.rows.filter(({ key }: { key: { month: string } }) => key.month === group.key.month);
    expect(group.rowCount).toBe(own.length);
    expect(group.costNanoUsd).toBe(sum(own.map((row: { costNanoUsd: number }) => row.costNanoUsd)));
  }
  expect(groups.at(-1).rowCount).toBeGreaterThan(rows.length); // without a limit, no group is omitted
  const { out } = await run(["usage", first, "--by", second, "-n", "3"], { columns: 120 });
  const lines = linesOf(out).slice(1);
  const sums = lines.filter((line) => !line.startsWith(" ")).map((line) => line.split(/ {2,}/)[1]);
  expect(sums.slice(0, groups.length)).toEqual(
    groups.map(({ costUsd }: { costUsd: number }) => formatDollars(costUsd)),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}\d+ others /));
  if (otherGroups) expect(sums[groups.length]).toBe(formatDollars(otherGroups.costUsd));
  expect(out).toContain(`TOTAL  `);
  expect(sums).toContain(formatDollars(total.costUsd));
});

test("the sum of other rows has no bar that would dwarf the rest", async () => {
  const root = temporaryFolder();
  const work = session({ timestamp: "2026-01-05T09:00:00.000Z" }).user("Go.");
  for (let n = 0; n < 50; n++) {
    work.assistant("Done.", {
      model: `model-${n}`,
      usage: { input: 1, output: 1, cost: { total: n < 2 ? 3 : 1 } },
    });
  }
  work.writeUnder(root);
  const at = pidexAt(root, root);
  const { out } = await at(["usage", "model", "--chart", "bars", "-n", "2"], { columns: 80 });
  const [first = "", , others = ""] = linesOf(out);
  expect(first.split("█").length - 1).toBeGreaterThan(30);
  expect(others).toMatch(/^48 others +\$48\.00 +89%$/);
});

test("a running total ends at the total, and -n keeps the newest periods", async () => {
  const { total, rowCount } = await usage();
  const cells = cellsOf((await run(["usage", "daily", "--running", "-n", "3"])).out);
  expect(cells.map((row) => row[0])).toEqual([
    ...cells
      .slice(0, 3)
      .map((row) => row[0])
      .sort(),
    "others",
  ]);
  expect(nano(cells[2]?.at(-1))).toBe(total.costNanoUsd);
  const { out } = await run(["usage", "daily", "--running", "-n", "3"], { columns: 120 });
  expect(out).toContain(`\n${rowCount - 3} others `);
  expect(out).toContain("RUNNING\n");
});

test("rows without a recorded value have a label", async () => {
  const first = async (...argv: string[]) =>
    linesOf((await run(["usage", ...argv], { columns: 80 })).out).map((line) => line.split(/ {2,}/)[0]);
  expect(await first("model")).toContain("(model not recorded)");
  expect(await first("tool")).toContain("(outside tools)");
  expect(await first("agent")).toContain("(main)");
  expect(cellsOf((await run(["usage", "agent"])).out).map(([name]) => name)).toContain("");
});

test("tools without a cost have no figures of cost, and a note says whose they are", async () => {
  const root = temporaryFolder();
  const usage = { input: 10, output: 5, cost: { total: 1 } };
  const work = session({ timestamp: "2026-01-05T09:00:00.000Z" }).user("Go.");
  work.tool("bash", { command: "true" }, "").assistant("Done.", { usage }).writeUnder(root);
  const at = pidexAt(root, root);
  const shown = async (...argv: string[]) =>
    linesOf((await at(["usage", ...argv], { columns: 120 })).out).map((line) => line.split(/ {2,}/));
  const note = ["Tool calls cost nothing themselves: cost and tokens are those of the model responses."];
  const [heading, outside, bash, , further] = await shown("tool");
  expect(heading).toEqual(["TOOL", "CALLS", "FAILED", "RATE", "TIME", "COST", "IN", "OUT"]);
  expect(outside?.slice(-3)).toEqual(["$1.00", "110", "25"]);
  expect(bash?.join(" ")).not.toContain("$");
  expect(further).toEqual(note);
  const [calls, , , noteOfCalls] = await shown("tool", "--tool", "bash");
  expect([calls, noteOfCalls]).toEqual([["TOOL", "CALLS", "FAILED", "RATE", "TIME"], note]);
});

test("a row without a recorded value and with nothing in it is left out on a terminal", async () => {
  const root = temporaryFolder();
  const usage = { input: 10, output: 5, cost: { total: 1 } };
  // The compaction has a usage of zero: it is an event, of no model.
  const work = session({ timestamp: "2026-01-05T09:00:00.000Z" }).user("Go.").assistant("Done.", { usage });
  work.compaction("Summary.", null, { usage: { input: 0, output: 0, cost: { total: 0 } } }).writeUnder(root);
  const at = pidexAt(root, root);
  const labels = async (...argv: string[]) =>
    linesOf((await at(["usage", ...argv], { columns: 100 })).out).map(
      (line) => line.trim().split(/ {2,}/)[0],
    );
  expect(cellsOf((await at(["usage", "model"])).out)).toHaveLength(2);
  expect((await labels("model")).filter((label) => label?.startsWith("(no"))).toEqual([]);
  expect((await labels("monthly", "--by", "model")).filter((label) => label?.startsWith("(no"))).toEqual([]);
});

describe("time ranges", () => {
  const HOUR = 3_600_000;
  const root = mkdtempSync(join(tmpdir(), "pidex-cli-"));
  const at = pidexAt(root, root);
  const now = new Date();
  const noon = (daysAgo: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo, 12).getTime();
  // A response in each: earlier today, yesterday, and on further days.
  const moments = [Date.now() - 1000, noon(1), noon(29), noon(30), noon(400)];

  beforeAll(() => {
    moments.forEach((moment, n) => {
      const timestamp = new Date(moment).toISOString();
      const usage = { input: 1, output: 1, cost: { total: 10 ** n } };
      session({ id: `at-${n}`, timestamp })
        .assistant("Done.", { timestamp, usage })
        .writeUnder(root);
    });
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const totalOf = async (...argv: string[]) =>
    JSON.parse((await at(["usage", ...argv, "--json"])).out).usage.total.costUsd;
  const totalSince = (from: number, until = Date.now() + HOUR) =>
    sum(moments.flatMap((moment, n) => (moment >= from && moment < until ? [10 ** n] : [])));

  test("without words, the last 30 days are shown and named; a terminal adds a sparkline and the total", async () => {
    const { out, err } = await at(["usage"], { columns: 120 });
    const note = "note: last 30 days; for all days: pidex usage daily\n";
    expect(err).toBe(note);
    const lines = linesOf(out);
    const total = lines.findIndex((line) => line.startsWith("TOTAL"));
    expect(lines.slice(1, total)).toHaveLength(3);
    expect(lines[total]).toMatch(/^TOTAL +\$111\.00/);
    expect(lines[total + 1]).toMatch(/^█▁{27}▂▂ {2}last 30 days, peak \$100\.00 on \d{4}-\d\d-\d\d$/);
    for (const form of [[], ["--ndjson"], ["--explain"]]) {
      const piped = await at(["usage", ...form]);
      expect([linesOf(piped.out).length, piped.err]).toEqual([3, note]);
    }
    const json = await at(["usage", "--json"]);
    const { usage, range } = JSON.parse(json.out);
    expect([usage.total.costUsd, range.name, json.err]).toEqual([111, "last 30 days", ""]);
    expect(Date.parse(range.since)).toBe(noon(29) - 12 * HOUR);
    expect(JSON.parse((await at(["usage", "--explain", "--json"])).out).range).toEqual(range);
    expect(cellsOf((await at(["usage", "daily"])).out)).toHaveLength(5);
    expect(cellsOf((await at(["usage", "--since", "2y"])).out)).toHaveLength(5);
    expect(await totalOf("daily")).toBe(11_111);
    expect(linesOf((await at(["usage", "daily"], { columns: 120 })).out).length).toBeGreaterThan(
      lines.length,
    );
  });

  test("with --session and without words, all days of the session are shown", async () => {
    const [, , , , oldest] = JSON.parse((await at(["list", "--all", "--json"])).out).sessions;
    const { out, err } = await at(["usage", "--session", oldest.id, "--json"]);
    expect([err, JSON.parse(out).range, JSON.parse(out).usage.total.costUsd]).toEqual([
      "",
      undefined,
      10_000,
    ]);
    expect((await at(["usage", "--session", oldest.id, "--csv"])).err).toBe("");
  });

  test("today, yesterday, week, month and year are calendar periods up to now", async () => {
    expect(await totalOf("today")).toBe(1);
    expect(await totalOf("yesterday")).toBe(10);
    const monday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - ((now.getDay() + 6) % 7));
    expect(await totalOf("week")).toBe(totalSince(monday.getTime()));
    expect(await totalOf("month")).toBe(totalSince(new Date(now.getFullYear(), now.getMonth()).getTime()));
    expect(await totalOf("year")).toBe(totalSince(new Date(now.getFullYear(), 0).getTime()));
    expect(await totalOf("--since", "1w")).toBe(11);
    for (const [range, per] of [
      ["last-week", "week"],
      ["last-month", "month"],
      ["last year", "year"],
    ] as const) {
      const { range: current } = JSON.parse((await at(["usage", per, "--json"])).out);
      const { usage, range: before } = JSON.parse((await at(["usage", range, "--json"])).out);
      expect([before.name, before.until]).toEqual([range.replace("-", " "), current.since]);
      expect(usage.total.costUsd).toBe(
        totalSince(Date.parse(before.since)) - totalSince(Date.parse(current.since)),
      );
    }
  });

  test("each has its breakdown, and --by names another", async () => {
    const heading = async (...argv: string[]) =>
      (await at(["usage", ...argv], { columns: 120 })).out.split(" ")[0];
    expect(await heading("today")).toBe("MODEL");
    expect(await heading("month")).toBe("DAY");
    expect(await heading("year")).toBe("MONTH");
    expect(await heading("all")).toBe("MONTH");
    expect(await heading("month", "--by", "project")).toBe("PROJECT");
  });

  test("all is the whole history", async () => {
    const { out, err } = await at(["usage", "all", "--json"]);
    const { usage, range } = JSON.parse(out);
    expect([usage.total.costUsd, usage.by, range, err]).toEqual([totalSince(0), ["month"], undefined, ""]);
    expect((await at(["usage", "all", "--since", "7d"])).exit).toBe(2);
  });

  test("what contradicts a range is a usage error", async () => {
    const { exit, err } = await at(["usage", "today", "--since", "2026-01-01"]);
    expect(exit).toBe(2);
    expect(err).toMatch(/^pidex: today and --since both select a time range\n/);
    expect((await at(["usage", "today", "--time-zone", "Nowhere"])).err).toContain(
      '"Nowhere" is not a time zone',
    );
  });

  test("no usage in a time range is reported with a command that keeps the other options", async () => {
    const old = temporaryFolder();
    session({ timestamp: "2020-01-05T09:00:00.000Z", cwd: "/p/my shop" })
      .assistant("Done.", { usage: { input: 1 } })
      .writeUnder(old);
    const at = pidexAt(old, old);
    const command = async (...argv: string[]) => {
      const { err } = await at(["usage", ...argv]);
      return err.replace(` --root ${old} --db ${old}/index.db\n`, "").replace(/^.*: /, "");
    };
    const since = "--since 2020-01";
    expect(await command()).toBe(`pidex usage ${since}`);
    expect(await command("today", "--by", "tool,model")).toBe(`pidex usage ${since} --by tool --by model`);
    expect(await command("tool", "--by", "model", "--since", "2021")).toBe(
      `pidex usage tool ${since} --by model`,
    );
    expect(await command("monthly", "--since", "2021", "--until", "2022")).toBe(
      `pidex usage monthly ${since}`,
    );
    const filters = ["--project", "my shop", "--subagents", "no"];
    expect(await command("--limit", "3", "--no-pager", ...filters)).toBe(
      `pidex usage ${since} --limit 3 --project 'my shop' --subagents no`,
    );
  });

  test("no usage in the last 30 days is said", async () => {
    const old = temporaryFolder();
    session({ timestamp: "2020-01-05T09:00:00.000Z" })
      .assistant("Done.", { usage: { input: 1 } })
      .writeUnder(old);
    const { exit, err } = await pidexAt(old, old)(["usage"], { columns: 80 });
    const where = `--root ${old} --db ${old}/index.db`;
    const last = `last recorded on 2020-01-05: pidex usage --since 2020-01 ${where}\n`;
    expect([exit, err]).toEqual([0, `no usage in the last 30 days; ${last}`]);
    const at = pidexAt(old, old);
    expect((await at(["usage", "today"])).err).toBe(`no usage today; ${last}`);
    expect((await at(["usage", "--since", "2021-01-01"])).err).toBe(`no usage found; ${last}`);
    expect((await at(["usage", "today", "--project", "nosuchproject"])).err).toMatch(
      /^no usage today\n {2}No session has the project/,
    );
    expect(linesOf((await at(["usage", "--since", "2020-01"])).out)).toHaveLength(1);
  });
});

describe("--explain", () => {
  const filters = [[], ["--since", "2026-01-20"], ["--model", "opus"], ["--subagents", "only"]];
  test.each(filters)("its events add up to the total: %s %s", async (...flags) => {
    const { total } = await usage(...flags);
    const explain = async (...more: string[]) =>
      (await run(["usage", "daily", "--explain", ...flags, ...more])).out;
    const whole = JSON.parse(await explain("--json"));
    const events: { path: string; line: number; costNanoUsd: number }[] = whole.events;
    expect(whole.total).toEqual(total);
    expect(sum(events.map(({ costNanoUsd }) => costNanoUsd))).toBe(total.costNanoUsd);
    const places = events.map(({ path, line }) => `${path}:${line}`);
    const piped = cellsOf(await explain());
    expect(piped.map(([place]) => place)).toEqual(places);
    expect(sum(piped.map((row) => nano(row[2])))).toBe(total.costNanoUsd);
    const [header = [], ...csv] = parsedCsv(await explain("--csv"));
    expect(csv.map(([path, line]) => `${path}:${line}`)).toEqual(places);
    expect(sum(csv.map((row) => nano(row[header.indexOf("costUsd")])))).toBe(total.costNanoUsd);
    expect(linesOf(await explain("--ndjson")).map((line) => JSON.parse(line).costNanoUsd)).toEqual(
      events.map(({ costNanoUsd }) => costNanoUsd),
    );
    const { out } = await run(["usage", "daily", "--explain", ...flags], { columns: 80 });
    const all = `${total.events} events: ${formatDollars(total.costUsd)}, ${total.tokens.total.toLocaleString("en-US")} tokens`;
    expect(linesOf(out).at(-1)).toBe(all);
  });

  test("each event names the line that records it", async () => {
    const cells = cellsOf((await run(["usage", "daily", "--explain"])).out);
    for (const [place = "", time, cost] of cells) {
      const at = place.lastIndexOf(":");
      const line =
        readFileSync(place.slice(0, at), "utf8").split("\n")[Number(place.slice(at + 1)) - 1] ?? "";
      if (Number(cost) > 0) expect(line).toContain('"usage"');
      expect(JSON.parse(line).timestamp).toBe(time);
    }
    expect(cells.length).toBeGreaterThan(20);
  });
});

describe.each([40, 80, 120])("on %i columns", (columns) => {
  test("no line is longer", async () => {
    const commands = [
      "usage daily",
      "usage session",
      "usage project --by model",
      "usage tool --by session",
      "usage hourly -n 3 --running",
      "usage daily --budget 20/month",
      "usage daily --explain",
      "usage --chart calendar",
      "usage weekly --chart spark",
      "usage session --chart",
    ];
    for (const command of commands) {
      const { out, exit } = await run(command.split(" "), { columns });
      expect([exit, out === ""], command).toEqual([0, false]);
      for (const line of linesOf(out))
        expect(stringWidth(line), `${command}: ${line}`).toBeLessThanOrEqual(columns);
    }
  });
});

test("a chart has a bar for each row, and the total", async () => {
  const { rows, total } = await usage("model");
  const lines = linesOf((await run(["usage", "model", "--chart"], { columns: 100 })).out);
  expect(lines).toHaveLength(rows.length + 1);
  for (const [n, { costUsd }] of rows.entries()) expect(lines[n]).toContain(formatDollars(costUsd));
  expect(lines.at(-1)).toBe(`${formatDollars(total.costUsd)} in total`);
});

test("a sparkline includes weeks without usage", async () => {
  const [line = ""] = linesOf((await run(["usage", "weekly", "--chart", "spark"], { columns: 100 })).out);
  const { rows } = await usage("weekly");
  const time = (row: { key: { week: string } }) => Date.parse(row.key.week);
  const weeks = (time(rows.at(-1)) - time(rows[0])) / (7 * 86_400_000) + 1;
  expect(weeks).toBeGreaterThan(rows.length);
  expect(stringWidth(line.trim())).toBe(weeks);
});

describe("a budget", () => {
  const spending = (dollars: number) => {
    const root = temporaryFolder();
    const now = new Date(Date.now() - 1000).toISOString();
    session({ timestamp: now, step: 0 })
      .user("Go.")
      .assistant("Done.", { usage: { input: 1, output: 1, cost: { total: dollars } } })
      .writeUnder(root);
    return pidexAt(root, root);
  };

  test("shows the amount spent and the projection", async () => {
    const { out } = await spending(4)(["usage", "--budget", "10/year"], { columns: 200 });
    const line =
      /^Budget \$10\/year: \$4\.00 spent this year \(40%\), since \d{4}-01-01, projected \$[\d,.]+ by \d{4}-12-31/m;
    expect(out).toMatch(line);
  });

  test("is red when exhausted, and goes to stderr if rows go to a script", async () => {
    const at = spending(4);
    const { out } = await at(["usage", "--budget", "2/month"], { columns: 200, colored: true });
    const red = styleText("red", "x", { validateStream: false }).split("x")[0];
    expect(out).toContain(`${red}Budget $2/month: $4.00 spent this month (200%)`);
    for (const flags of [[], ["--csv"]]) {
      const piped = await at(["usage", "daily", "--budget", "2/month", ...flags]);
      expect(piped.out).not.toContain("Budget");
      expect(piped.err).toMatch(/^Budget \$2\/month: .*, used up about \d{4}-\d\d-\d\d\n$/);
    }
    expect(JSON.parse((await at(["usage", "--budget", "2/month", "--json"])).out).usage.budget.share).toBe(2);
  });
});

test("charts can be drawn for times far apart, or without times", async () => {
  const root = temporaryFolder();
  const odd = session({ id: "odd" }).user("Go.");
  for (const timestamp of ["0001-01-01T00:00:00.000Z", "+012026-01-01T00:00:00.000Z", "never"])
    odd.assistant("Done.", { timestamp });
  odd.writeUnder(root);
  const at = pidexAt(root, root);
  for (const argv of [["hourly"], ["daily"], ["monthly"]]) {
    for (const chart of ["bars", "spark", ...(argv[0] === "daily" ? ["calendar"] : [])]) {
      const { exit, out } = await at(["usage", ...argv, "--chart", chart], { columns: 80 });
      expect([exit, linesOf(out).at(-1)]).toEqual([0, "$0.0018 in total"]);
      for (const line of linesOf(out)) expect(stringWidth(line)).toBeLessThanOrEqual(80);
    }
  }
});

test("files indexed by an older pidex are reported", async () => {
  const root = temporaryFolder();
  session().user("Go.").assistant("Done.").writeUnder(root);
  const at = pidexAt(root, root);
  await at(["index"]);
  const db = new SQLite(join(root, "index.db"));
  db.exec("UPDATE file SET extraction = 1");
  db.close();
  for (const argv of [
    ["usage", "daily"],
    ["spend", "@last"],
  ]) {
    const { err } = await at([...argv, "--no-sync"]);
    expect(err).toMatch(/^note: 1 file is not fully indexed by this version of pidex yet; /);
    expect((await at([...argv, "--no-sync", "--json"])).err).toBe(err);
  }
  expect((await at(["usage", "daily"])).err).toBe("");
});

test("missing usage is reported on stderr, and is not an error", async () => {
  const none = ["--project", "nosuchproject"];
  const unmatched = '  No session has the project "nosuchproject". Projects: shop, parser, 书店.\n';
  const said = { exit: 0, out: "", err: `no usage found\n${unmatched}` };
  expect(await run(["usage", "daily", ...none], { columns: 80 })).toEqual(said);
  expect(await run(["usage", "daily", ...none])).toEqual(said);
  expect(await run(["usage", "daily", "--explain", ...none], { columns: 80 })).toEqual({
    ...said,
    err: "no usage found\n",
  });
  expect(linesOf((await run(["usage", ...none, "--csv"])).out)).toHaveLength(1);
});

test.each([
  [["dayly"], "unknown dimension 'dayly' (did you mean daily?)\n  dimension  What to break usage down by"],
  [
    ["daily", "--by", "modle"],
    "invalid --by 'modle' (did you mean model?)\n  --by <dimension>  Break down by",
  ],
  [["daily", "--by", "day"], "must differ from the first"],
  [["--by", "model,projct"], "invalid --by 'model,projct' (did you mean project?)"],
  [
    ["project", "--by", "model", "--by", "tool"],
    "project, model, tool are 3 dimensions; usage has at most two",
  ],
  [["--by", "day,model", "--running"], "--running shows one dimension, not day and model"],
  [["model", "--by", "day", "--chart"], "--chart shows one dimension, not model and day"],
  [["--budget", "lots"], '"lots" is not a budget'],
  [["--time-zone", "Mars/Olympus"], "is not a time zone"],
  [["--explain", "--time-zone", "Mars/Olympus"], "is not a time zone"],
  [["--week-start", "doomsday"], "First day of the week: monday"],
  [["model", "--running"], "--running requires a time period, not model"],
  [["weekly", "--chart", "calendar"], "--chart calendar requires daily usage"],
  [["model", "--chart", "spark"], "--chart spark requires a time period, not model"],
  [["--chart", "pie"], "Draw a chart: bars, spark, calendar"],
  [["--chart", "--json"], "--json"],
  [["--csv", "--json"], "--json"],
  [["--explain", "-n", "3"], "--limit"],
  [["--subagent", "no"], "did you mean --subagents?"],
])("%j is a usage error", async (argv, what) => {
  const { exit, out, err } = await run(["usage", ...argv]);
  expect([exit, out]).toEqual([2, ""]);
  expect(err).toContain(what);
});
