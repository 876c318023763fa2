import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SESSION_COLUMN_NAMES, SESSION_FIELD_NAMES } from "../../../bin/cli/session-column-names.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { cellsOf, linesOf, pidexAt } from "../cli.ts";

/** Four sessions, the last one the newest; some pinned, archived or tagged. */
function createSessions() {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  const talk = (id: string, hour: number) =>
    session({ id, timestamp: `2026-01-05T0${hour}:00:00.000Z` }).user(`This is ${id}.`);
  talk("pinned-old", 1)
    .custom("pidex", { pinned: true, tags: ["later"] })
    .writeUnder(root);
  talk("pinned-new", 2)
    .custom("pidex", { pinned: true, tags: ["later", "\x1b[31mred"] })
    .writeUnder(root);
  talk("archived", 3).custom("pidex", { archived: true }).writeUnder(root);
  talk("plain", 4).writeUnder(root);
  const run = pidexAt(root, folder);
  return {
    run,
    ids: async (...argv: string[]) => cellsOf((await run(["list", ...argv])).out).map((row) => row[1]),
  };
}

describe("pidex list", () => {
  test("lists pinned sessions first, and no archived ones", async () => {
    expect(await createSessions().ids()).toEqual(["pinned-new", "pinned-old", "plain"]);
  });

  test("prints the same in a pipe as in JSON", async () => {
    const { run } = createSessions();
    for (const flags of [
      [],
      ["--all"],
      ["-n", "1"],
      ["-n", "2"],
      ["--all", "--archived", "yes"],
      ["--oldest"],
    ]) {
      const { sessions } = JSON.parse((await run(["list", "--json", ...flags])).out);
      const rows = sessions.map((each: Record<string, string>) => [
        ...[each.modified, each.id, String(each.messageCount), each.cwd, each.path, each.firstMessage],
      ]);
      expect(cellsOf((await run(["list", ...flags])).out)).toEqual(rows);
    }
  });

  test("--sort and --oldest override pins", async () => {
    const { ids } = createSessions();
    expect(await ids("--sort", "modified")).toEqual(["plain", "pinned-new", "pinned-old"]);
    expect(await ids("--oldest")).toEqual(["pinned-old", "pinned-new", "plain"]);
  });

  test("continues after the pinned sessions with the cursor of the previous page", async () => {
    const { run } = createSessions();
    const first = JSON.parse((await run(["list", "-n", "2", "--json"])).out);
    expect(first.total).toBe(3);
    const second = JSON.parse((await run(["list", "-n", "2", "--json", "--cursor", first.next])).out);
    const idsOf = (list: { sessions: { id: string }[] }) => list.sessions.map(({ id }) => id);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(["pinned-new", "pinned-old", "plain"]);
    expect(second.next).toBeUndefined();
  });

  test("words and fields are left to search", async () => {
    const { run } = createSessions();
    for (const [words, query] of [
      [["cost:>1", "project:shop"], "'cost:>1 project:shop'"],
      [["till"], "till"],
    ] as const) {
      const { exit, err } = await run(["list", ...words]);
      expect([exit, linesOf(err)[0]]).toEqual([
        2,
        `pidex: too many arguments for 'list' (did you mean pidex search ${query}?)`,
      ]);
    }
  });

  test("--all and -n are not combined", async () => {
    const { exit, err } = await createSessions().run(["list", "--all", "-n", "2"]);
    expect([exit, linesOf(err)[0]]).toEqual([
      2,
      "pidex: option '--all' cannot be used with option '-n, --limit <n>'",
    ]);
  });

  test("filters by pins, archive and tags", async () => {
    const { ids } = createSessions();
    expect(await ids("--archived", "yes")).toEqual(["pinned-new", "pinned-old", "plain", "archived"]);
    expect(await ids("--archived", "only")).toEqual(["archived"]);
    expect(await ids("--pinned")).toEqual(["pinned-new", "pinned-old"]);
    expect(await ids("--no-pinned")).toEqual(["plain"]);
    expect(await ids("--tag", "LATER")).toEqual(["pinned-new", "pinned-old"]);
    expect(await ids("--tag", "later", "--tag", "*red")).toEqual(["pinned-new"]);
    expect(await ids("--tag", "nothing")).toEqual([]);
  });

  test("shows pins, archived sessions and tags on a terminal, without control characters", async () => {
    const { out } = await createSessions().run(["list", "--archived", "yes"], { columns: 100 });
    const [heading, ...rows] = linesOf(out);
    expect(heading).toMatch(/PROJECT +TAGS +TITLE$/);
    expect(rows[0]).toMatch(/later, ␛\[31mred +★ This is pinned-new\.$/);
    expect(rows[2]).toMatch(/shop {2,}This is plain\.$/);
    expect(rows[3]).toMatch(/archived This is archived\.$/);
  });

  test("shows what each session cost by itself, on a terminal and in JSON", async () => {
    const root = temporaryFolder();
    const spent = (id: string, total: number) =>
      session({ id })
        .assistant("Done.", { usage: { input: 1, output: 1, cost: { total } } })
        .writeUnder(root);
    spent("cheap", 0.5);
    spent("dear", 1234.5);
    const run = pidexAt(root, root);
    const lines = linesOf((await run(["list", "--sort", "cost"], { columns: 100 })).out);
    expect(lines[0]).toMatch(/ +MSGS +COST +PROJECT/);
    expect(lines.slice(1).map((line) => line.split(/ +/)[3])).toEqual(["$1,234.50", "$0.50"]);
    const { sessions } = JSON.parse((await run(["list", "--sort", "cost", "--oldest", "--json"])).out);
    expect(sessions.map(({ costUsd }: { costUsd: number }) => costUsd)).toEqual([0.5, 1234.5]);
    expect(cellsOf((await run(["list", "--sort", "cost"])).out).map(([, id]) => id)).toEqual([
      "dear",
      "cheap",
    ]);
  });

  test("omits the tags column if there are no tags, or no room", async () => {
    const { run } = createSessions();
    expect((await run(["list", "--no-pinned"], { columns: 100 })).out).not.toContain("TAGS");
    const narrow = (await run(["list"], { columns: 50 })).out;
    expect(narrow).not.toContain("TAGS");
    expect(narrow).toContain("★ This is pinned-new.");
  });
});

describe("the shape of lists", () => {
  /** A named session that cost something, and one without a name. */
  function createShop() {
    const root = temporaryFolder();
    session({ id: "till", cwd: "/home/ada/shop", timestamp: "2026-01-05T09:00:00.000Z" })
      .user("Round the total.")
      .assistant("Done.", {
        provider: "acme",
        model: "m1",
        usage: { input: 1, output: 1, cost: { total: 0.25 } },
      })
      .name("Rounding at\tthe till")
      .custom("pidex", { tags: ["tax", "later"] })
      .writeUnder(root);
    session({ id: "blog", cwd: "/home/ada/blog", timestamp: "2026-01-04T09:00:00.000Z" })
      .user("Write the total.")
      .writeUnder(root);
    return pidexAt(root, root);
  }

  test("--columns selects columns, raw in a pipe and for people on a terminal", async () => {
    const run = createShop();
    const columns = ["--columns", "title,cost,id,tags,project"];
    expect(cellsOf((await run(["list", ...columns])).out)).toEqual([
      ["Rounding at the till", "0.25", "till", "tax,later", "shop"],
      ["Write the total.", "0", "blog", "", "blog"],
    ]);
    const [heading, first, second] = linesOf((await run(["list", ...columns], { columns: 100 })).out);
    expect(heading).toMatch(/^TITLE +COST +ID +TAGS +PROJECT *$/);
    expect(second).toMatch(/^Write the total\. +blog +blog *$/); // without a cost
    expect(first).toMatch(/^Rounding at the till +\$0\.25 +till +tax, later +shop *$/);
    expect(cellsOf((await run(["search", "total", "--columns", "id,cost"])).out).toSorted()).toEqual([
      ["blog", "0"],
      ["till", "0.25"],
    ]);
  });

  test("a title in a pipe is cut to 200 columns, and whole where it is named", async () => {
    const root = temporaryFolder();
    const title = "Round every total of the shop. ".repeat(20).trim();
    session({ id: "till" }).user("Round it").name(title).writeUnder(root);
    const run = pidexAt(root, root);
    expect(cellsOf((await run(["list"])).out)[0]?.at(-1)).toBe(`${title.slice(0, 199)}…`);
    expect((await run(["list", "--format", "{title}"])).out).toBe(`${title}\n`);
    expect((await run(["list", "--columns", "title"])).out).toBe(`${title}\n`);
    expect(JSON.parse((await run(["list", "--json"])).out).sessions[0].title).toBe(title);
  });

  test("projects and tags are cut before titles, and left out before costs", async () => {
    const root = temporaryFolder();
    const title = "A long title that says at some length what the session is about, and why";
    session({ id: "019c4bef-ebb8-7000-8000-000000000001", cwd: "/home/ada/a-project-with-long-name" })
      .user(title)
      .assistant("Done.", { usage: { input: 1, output: 1, cost: { total: 0.25 } } })
      .custom("pidex", { tags: ["frontend", "later", "rounding"] })
      .writeUnder(root);
    const run = pidexAt(root, root);
    const list = async (columns: number) => linesOf((await run(["list"], { columns })).out);
    const [wide = ""] = await list(200);
    expect(wide).toContain("TAGS                      TITLE");
    for (const columns of [80, 120, 160]) {
      const [heading = "", row = ""] = await list(columns);
      for (const name of ["ID", "MODIFIED", "COST"]) expect(heading.split(/ +/)).toContain(name);
      const shown = row.slice(heading.indexOf("TITLE"));
      expect(shown.length).toBeGreaterThanOrEqual(columns === 80 ? 30 : 0.43 * columns);
      expect(row.length).toBeLessThanOrEqual(columns);
    }
    expect((await list(60))[0]).toMatch(/^ID +MODIFIED +COST +TITLE$|^ID +MODIFIED +TITLE$/);
  });

  test("many --columns shorten texts, and never ids, times and numbers", async () => {
    const columns = "id,title,project,cost,messages,size,modified,created,model,path";
    for (const width of [80, 40]) {
      const { out } = await createShop()(["list", "--columns", columns], { columns: width });
      const [heading = "", first = ""] = linesOf(out);
      for (const name of ["ID", "COST", "MSGS", "SIZE", "MODIFIED", "CREATED"]) {
        expect(heading.split(/ +/)).toContain(name);
      }
      expect(first).toMatch(/^till +\S.*\$0\.25 +2 +\d+ B +2026-01-05 +2026-01-05 .*…$/);
      if (width === 80) expect(heading.length).toBeLessThanOrEqual(80);
    }
  });

  test("--format fills a template for each session, with tabs and new lines", async () => {
    const run = createShop();
    const { out } = await run(["list", "--format", "{id}: {title}\\t{model}\\n  {}", "-n", "1"], {
      columns: 20,
    });
    expect(out).toBe("till: Rounding at the till\tacme/m1\n  {}\n");
    expect((await run(["search", "write", "--strict", "--format", "{cost} {path}"])).out).toMatch(
      /^0 \/.*blog.*\.jsonl\n$/,
    );
  });

  test("--format has the fields of --json too", async () => {
    const run = createShop();
    const { out } = await run([
      "list",
      "--format",
      "{costUsd} {cost} {messageCount} {pinned} {provider} {cwd}|{models}|{computedTitle}",
    ]);
    expect(linesOf(out)).toEqual([
      "0.25 0.25 2 false acme /home/ada/shop|acme/m1|Round the total.",
      "0 0 1 false  /home/ada/blog||Write the total.",
    ]);
    const { SessionInfoJson } = await import("../../../library/schemas.ts");
    const names = [...SESSION_COLUMN_NAMES, ...SESSION_FIELD_NAMES, "allMessagesText"]; // which reads the file
    expect(Object.keys(SessionInfoJson.shape).filter((name) => !names.some((each) => each === name))).toEqual(
      [],
    );
  });

  test("--json has the title that lists show, in every command with sessions", async () => {
    const run = createShop();
    const titles = linesOf((await run(["list", "--columns", "title"])).out);
    const json = async (...argv: string[]) => JSON.parse((await run([...argv, "--json"])).out);
    const { sessions } = await json("list");
    expect(sessions.map((each: { title: string }) => each.title)).toEqual(titles);
    const [{ id, title }] = sessions;
    const found = (await json("search", `session:${id}`)).sessions[0];
    expect([found.session.title, (await json("show", id)).session.title]).toEqual([title, title]);
    expect([(await json("tree", id)).session.title, (await json("resume", id)).session.title]).toEqual([
      title,
      title,
    ]);
  });

  test("--json with fields keeps the list and reduces its sessions, absent fields are null", async () => {
    const run = createShop();
    const list = JSON.parse((await run(["list", "--json", "id,title,cost,costUsd,name"])).out);
    expect(list).toEqual({
      schema: expect.any(Number),
      total: 2,
      sessions: [
        {
          id: "till",
          title: "Rounding at the till",
          cost: 0.25,
          costUsd: 0.25,
          name: "Rounding at\tthe till",
        },
        { id: "blog", title: "Write the total.", cost: 0, costUsd: 0, name: null },
      ],
    });
    expect(JSON.parse((await run(["list", "--json=id", "--sort", "name"])).out).sessions).toEqual([
      { id: "till" },
      { id: "blog" },
    ]);
    expect(Object.keys(JSON.parse((await run(["list", "--json"])).out).sessions[0])).toContain(
      "firstMessage",
    );
  });

  test("--json with fields reduces the rows of usage; a single field needs no =", async () => {
    const run = createShop();
    const rows = async (...argv: string[]) => JSON.parse((await run(["usage", ...argv])).out).usage.rows;
    expect(await rows("model", "--json", "model,cost,output")).toEqual([
      { model: expect.any(String), cost: 0.25, output: expect.any(Number) },
    ]);
    expect(await rows("--session", "till", "--json", "cost")).toEqual([{ cost: 0.25 }]);
    expect((await run(["usage", "--json", "cots"])).err).toContain(
      'unknown field "cots"; did you mean cost?',
    );
  });

  test("--ndjson with fields reduces its lines likewise", async () => {
    const run = createShop();
    const lines = async (...argv: string[]) => linesOf((await run(argv)).out).map((line) => JSON.parse(line));
    const schema = expect.any(Number);
    expect(await lines("list", "--ndjson", "id,costUsd")).toEqual([
      { schema, id: "till", costUsd: 0.25 },
      { schema, id: "blog", costUsd: 0 },
    ]);
    expect(await lines("list", "--ndjson=id")).toHaveLength(2);
    expect(await lines("search", "rounding", "--ndjson", "id,cost")).toEqual([
      { schema, id: "till", cost: 0.25 },
    ]);
    expect(await lines("search", "--flat", "rounding", "--ndjson=line")).toEqual([{ schema, line: 4 }]);
    expect((await lines("search", "--ndjson", "rounding"))[0].session.id).toBe("till");
    expect((await run(["list", "--ndjson", "id", "--json", "id"])).exit).toBe(2);
    expect((await run(["list", "--ndjson", "ids"])).err).toContain('unknown field "ids"; did you mean id?');
  });

  test("in commands with arguments, the word after --json is a list of fields only with a comma or an equals sign", async () => {
    const run = createShop();
    const found = async (...argv: string[]) => JSON.parse((await run(["search", ...argv])).out).sessions;
    expect(await found("rounding", "--json", "id,hitCount")).toEqual([{ id: "till", hitCount: 1 }]);
    expect(await found("--json=id,cost", "rounding")).toEqual([{ id: "till", cost: 0.25 }]);
    expect((await found("--json", "rounding"))[0].session.id).toBe("till");
    expect((await found("--json", "--strict", "rounding"))[0].session.id).toBe("till");
    const { hits } = JSON.parse((await run(["search", "rounding", "--flat", "--json", "line,type"])).out);
    expect(hits).toEqual([{ line: 4, type: "session_info" }]);
    expect((await run(["search", "--json", "--", "nothing,here"])).exit).toBe(3);
  });

  test.each([
    [
      ["list", "--columns", "id,titel"],
      '--columns: unknown column "titel"; did you mean title?',
      "Columns are id, modified",
    ],
    [["list", "--format", "{id} {nope}"], '--format: unknown column "nope"', "Columns are id, modified"],
    [["list", "--format", "xml"], '--format: no {column} in "xml"', "For JSON use --json"],
    [["list", "--json", "id,nope"], 'JSON: unknown field "nope"', "Fields are path, id, cwd"],
    [
      ["search", "x", "--json=hit"],
      'JSON: unknown field "hit"; did you mean hits?',
      "Fields are path, id, cwd",
    ],
    [["labels", "--json=nope"], 'JSON: unknown field "nope"', "Fields are label, targetId"],
    [["files", "x", "--json=nope"], 'JSON: unknown field "nope"', "Fields are path, id, cwd"],
  ])("%j is a usage error that lists the names", async (argv, message, hint) => {
    const { exit, err, out } = await createShop()(argv);
    expect([exit, out]).toEqual([2, ""]);
    expect(err).toContain(`pidex: ${message}\n`);
    expect(err).toContain(hint);
    const listed = linesOf(err).filter((line) => !line.includes("--"));
    expect(Math.max(0, ...listed.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test.each([
    [["show", "till", "--json", "id,title"], "--json of this command takes no fields"],
    [["stats", "--json", "sessions,cost"], "--json of pidex stats takes no fields"],
    [["trash", "--ndjson", "id"], "--ndjson of pidex trash takes no fields"],
    [["stats", "--json=cost"], "--json of pidex stats takes no fields\n"],
    [["show", "till", "--ndjson=id"], "--ndjson of pidex show takes no fields\n"],
  ])("%j says that there are no fields to choose", async (argv, message) => {
    const { exit, out, err } = await createShop()(argv);
    expect([exit > 1, out]).toEqual([true, ""]);
    expect(err).toContain(message);
  });

  test("help names all columns", async () => {
    const { out } = await createShop()(["list", "--help"]);
    for (const name of SESSION_COLUMN_NAMES) expect(out.replace(/\s+/g, "")).toContain(name);
  });
});

test("pidex labels names the sessions of archived labels too", async () => {
  const folder = temporaryFolder();
  const talk = session({ id: "away" }).user("Hello.").name("The Till");
  talk.label(talk.lastId, "look").custom("pidex", { archived: true }).writeUnder(join(folder, "root"));
  const { out } = await pidexAt(join(folder, "root"), folder)(["labels"], { columns: 100 });
  expect(out).toContain("The Till");
});

test("pidex labels -n prints the newest labels only", async () => {
  const folder = temporaryFolder();
  const talk = session({ id: "labeled" }).user("Hello.");
  talk.label(talk.lastId, "first").assistant("Hi.");
  talk.label(talk.entries.at(-1)?.id as string, "second").writeUnder(join(folder, "root"));
  const run = pidexAt(join(folder, "root"), folder);
  expect(linesOf((await run(["labels"])).out)).toHaveLength(2);
  expect((await run(["labels", "-n", "1"])).out).toMatch(/^second\t.*\n$/);
  expect(JSON.parse((await run(["labels", "--limit", "1", "--json"])).out).labels).toHaveLength(1);
});

test("pidex labels --since and --until select labels by the time they were set", async () => {
  const folder = temporaryFolder();
  const talk = session({ id: "labeled", timestamp: "2026-01-05T09:00:00.000Z" }).user("Hello.");
  talk.label(talk.lastId, "first").writeUnder(join(folder, "root"));
  const run = pidexAt(join(folder, "root"), folder);
  const labels = async (...argv: string[]) =>
    cellsOf((await run(["labels", ...argv])).out).map(([label]) => label);
  expect(await labels("--since", "2026-01", "--until", "2026-02")).toEqual(["first"]);
  expect(await labels("--since", "2026-02")).toEqual([]);
  expect(await labels("--until", "2026-01")).toEqual([]);
  expect((await run(["labels", "--since", "2026-02"])).err).toBe("No labels match.\n");
  const { exit, err } = await run(["labels", "--since", "yestrday"]);
  expect([exit, linesOf(err)[0]]).toEqual([
    2,
    expect.stringContaining('--since: "yestrday" is not a date, time or age. Did you mean "yesterday"?'),
  ]);
});

test.each([[["list"]], [["search", "total"]], [["files", "x"]], [["labels"]], [["usage"]]])(
  "%j says that --since 3m means minutes, and which times are in the future, if nothing was found",
  async (argv) => {
    const { run } = createSessions();
    expect((await run([...argv, "--since", "3m"])).err).toContain(
      "--since 3m means minutes; for months use 3mo\n",
    );
    const recent = (await run([...argv, "--since", "3d"])).err;
    expect(recent).not.toMatch(/3mo|future/);
    const next = `${new Date().getFullYear() + 1}-01`;
    expect((await run([...argv, "--since", next])).err).toContain(`  --since ${next} is in the future\n`);
    expect((await run(["list", "--since", "2026-02-01", "--until", "2026-01-01"])).exit).toBe(2);
  },
);
