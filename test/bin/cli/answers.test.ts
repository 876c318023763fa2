import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { styleText } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { plainSearchable } from "../../query/brute-force.ts";
import { temporaryFolder } from "../../temporary.ts";
import { cellsOf, isOwn, lastSaid, linesOf, PI, type PlainSession, pidexAt, plainSessions } from "../cli.ts";

const all = plainSessions(PI);
const own = all.filter((each) => isOwn(PI, each)).sort((a, b) => lastSaid(b) - lastSaid(a));
const entries = all.flatMap((each) => each.entries);
const folder = mkdtempSync(join(tmpdir(), "pidex-cli-"));
const run = pidexAt(PI, folder);

beforeAll(async () => void (await run(["index"])));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nameOf = (each: PlainSession) =>
  each.entries.findLast(({ type }) => type === "session_info")?.name as string | undefined;
const withLabel = own.find(({ header }) => header.id.startsWith("019bb17b")) as PlainSession;
const tree = own.find(({ header }) => header.id.startsWith("019bd693")) as PlainSession;

test("index reports the number of files, and no changes the second time", async () => {
  expect((await run(["index"])).out).toBe(`${all.length} files: up to date\n`);
});

test("list in a pipe prints one line of six cells per session, newest first", async () => {
  const { out, err, exit } = await run(["list"]);
  expect(exit).toBe(0);
  expect(err).toBe("");
  const expected = own.map((each) => [
    new Date(lastSaid(each)).toISOString(),
    each.header.id,
    String(each.entries.filter(({ type }) => type === "message").length),
    each.header.cwd,
    each.path,
  ]);
  const rows = cellsOf(out);
  expect(rows.map((cells) => cells.slice(0, 5))).toEqual(expected);
  rows.forEach((cells, n) => {
    expect(cells).toHaveLength(6);
    const name = nameOf(own[n] as PlainSession);
    if (name) expect(cells[5]).toBe(name.replace(/\s+/g, " "));
  });
});

test("list on a terminal has headings, and prints the number of further sessions on stderr", async () => {
  const { out, err } = await run(["list", "-n", "4"], { columns: 80 });
  expect(linesOf(out)).toHaveLength(5);
  expect(linesOf(out)[0]).toMatch(/^ID +MODIFIED +MSGS +COST +PROJECT +TITLE$/);
  expect(err).toContain(`${own.length - 4} more of ${own.length}`);
});

test("--subagents only lists the sessions in deeper folders", async () => {
  const { out } = await run(["list", "--subagents", "only"]);
  const deeper = all.filter((each) => !isOwn(PI, each)).map(({ path }) => path);
  expect(
    cellsOf(out)
      .map((cells) => cells[4])
      .sort(),
  ).toEqual(deeper.sort());
});

test("search in a pipe prints path and line of matching entries, and copies in forks once", async () => {
  const { out, exit } = await run(["search", "roundToCents", "-n", "50", "--hits", "50"]);
  expect(exit).toBe(0);
  /** Paths of all locations of each entry. */
  const places = new Map<string, string[]>();
  for (const { path, entries: those } of own) {
    those.forEach((entry, n) => {
      if (!/roundToCents/i.test(JSON.stringify({ ...entry.message, details: undefined }))) return;
      const key = `${entry.id} ${entry.message.role} ${entry.timestamp}`;
      places.set(key, [...(places.get(key) ?? []), `${path}:${n + 2} ${entry.id} ${entry.message.role}`]);
    });
  }
  expect([...places.values()].some((copies) => copies.length > 1)).toBe(true);
  const rows = cellsOf(out);
  expect(rows).toHaveLength(places.size);
  const found = rows.map((cells) => cells.slice(0, 3).join(" "));
  for (const copies of places.values())
    expect(copies.filter((place) => found.includes(place))).toHaveLength(1);
  for (const cells of rows) expect(cells).toHaveLength(4);
});

test("search --flat prints the same hits ungrouped, and --sort orders them by time", async () => {
  const bySession = await run(["search", "roundToCents", "-n", "50", "--hits", "50"]);
  const flat = await run(["search", "roundToCents", "-n", "50", "--flat", "--sort", "oldest"]);
  expect(linesOf(flat.out).sort()).toEqual(linesOf(bySession.out).sort());
  const { hits } = JSON.parse(
    (await run(["search", "roundToCents", "--flat", "--sort", "oldest", "--json"])).out,
  );
  const times = hits.map(({ timestamp }: { timestamp: string }) => timestamp);
  expect(times.length).toBeGreaterThan(3);
  expect(times).toEqual(times.toSorted());
});

test("search --facets prints counts instead of hits", async () => {
  const { out } = await run(["search", "roundToCents", "--facets"]);
  const rows = cellsOf(out);
  expect(rows.every((cells) => cells.length === 4)).toBe(true);
  expect(new Set(rows.map(([name]) => name))).toEqual(new Set(["project", "model", "role", "tool", "month"]));
  expect(rows).toContainEqual(["role", "user", ...Array(2).fill(expect.stringMatching(/^\d+$/))]);
  const { totals, hitCount } = JSON.parse((await run(["search", "roundToCents", "--facets", "--json"])).out);
  expect(totals).toEqual({ hits: hitCount, sessions: expect.any(Number), isWhole: true });
  const { err } = await run(["search", "roundToCents", "--facets"], { columns: 90 });
  expect(err).toContain(`${totals.hits} hits in ${totals.sessions} sessions`);
});

test("search continues from the cursor of the previous page", async () => {
  const page = async (...more: string[]) =>
    JSON.parse((await run(["search", "roundToCents", "-n", "1", "--json", ...more])).out);
  const first = await page();
  const second = await page("--cursor", first.next);
  expect(second.sessions[0].session.id).not.toBe(first.sessions[0].session.id);
});

test("search --substring and --regex find text in the files, punctuation included", async () => {
  const holding = (what: (text: string) => boolean) =>
    new Set(
      own.flatMap(({ entries: those }) =>
        those.flatMap((entry) => (what(plainSearchable(entry)) ? [`${entry.id}`] : [])),
      ),
    );
  const ids = async (...argv: string[]) =>
    new Set(cellsOf((await run(["search", ...argv])).out).map((cells) => cells[1]));
  const call = holding((text) => text.includes("roundToCents("));
  expect(call.size).toBeGreaterThan(1);
  expect(await ids("--substring", "roundToCents(")).toEqual(call);
  expect(await ids("--regex", "round[A-Z]\\w+\\(")).toEqual(call);
  expect(await ids("--substring", "OUNDTOC", "--no-case-sensitive")).toEqual(
    holding((text) => /oundtoc/i.test(text)),
  );
  expect(await ids("--substring", "OUNDTOC")).toEqual(new Set());
  const marked = await run(["search", "--substring", "ndToCe", "-n", "1"], { columns: 100, colored: true });
  expect(marked.out).toContain(styleText(["bold", "yellow"], "ndToCe", { validateStream: false }));
});

test("search on a terminal highlights matches", async () => {
  const { out } = await run(["search", "roundToCents", "-n", "1"], { columns: 100, colored: true });
  expect(out).toContain(styleText(["bold", "yellow"], "roundToCents", { validateStream: false }));
});

test("tree --all shows every entry once, and marks the leaf", async () => {
  const { out } = await run(["tree", tree.header.id, "--all"]);
  const drawn = linesOf(out).map((line) => /[•●·] (\S+)/.exec(line)?.[1]);
  expect(drawn.sort()).toEqual(tree.entries.map(({ id }) => id).sort());
  expect(out.match(/●/g)).toHaveLength(1);
  // Names and labels at the end are not the leaf.
  const leaf = tree.entries.findLast(({ type }) => type === "message");
  expect(out).toContain(`● ${leaf.id}`);
});

test("search says how many results follow, with a + if more were not counted", async () => {
  const search = async (messages: number) => {
    const root = temporaryFolder();
    for (let n = 0; n < 12; n++) {
      const file = session({ id: `s${n}` });
      for (let m = 0; m < messages; m++) file.user(`needle ${n} ${m}`);
      file.writeUnder(root);
    }
    return pidexAt(root, root)(["search", "needle", "-n", "3"], { columns: 80 });
  };
  expect((await search(1)).err).toContain("… 9 more sessions (-n to show more)");
  const { out, err } = await search(400);
  expect(err).toMatch(/… \d+\+ more sessions \(-n to show more\)/);
  expect(out).toMatch(/… and \d+\+ more in this session/);
});

test("tree --tail shows the last lines", async () => {
  const all = linesOf((await run(["tree", tree.header.id])).out);
  expect(all.length).toBeGreaterThan(3);
  expect(linesOf((await run(["tree", tree.header.id, "-n", "3"])).out)).toEqual(all.slice(-3));
});

test("tree indents branches only", async () => {
  const { out } = await run(["tree", tree.header.id]);
  const forks = new Map<string, number>();
  for (const { parentId } of tree.entries) forks.set(parentId, (forks.get(parentId) ?? 0) + 1);
  const corners = [...forks.values()].filter((count) => count > 1).reduce((sum, count) => sum + count, 0);
  expect(out.match(/[├└]─/g)).toHaveLength(corners);
});

test("labels shows the current label, its entry and its line", async () => {
  const { out } = await run(["labels", withLabel.header.id]);
  const label = withLabel.entries.findLast(({ type }) => type === "label");
  const line = withLabel.entries.findIndex(({ id }) => id === label.targetId) + 2;
  expect(out).toBe(
    `${[label.label, label.timestamp, label.targetId, `${withLabel.path}:${line}`].join("\t")}\n`,
  );
});

test("show prints the messages of the current branch in order", async () => {
  const { out } = await run(["show", withLabel.header.id]);
  const said = withLabel.entries
    .filter(({ message }) => message?.role === "user" || message?.role === "assistant")
    .flatMap(({ message }) => message.content.filter((block: { type: string }) => block.type === "text"));
  let from = 0;
  for (const { text } of said) {
    const at = out.indexOf(text, from);
    expect(at, text).toBeGreaterThan(-1);
    from = at;
  }
});

test("show --tail prints the last entries as the transcript does, without names, labels and tags", async () => {
  const METADATA = ["custom", "label", "session_info"];
  const show = async (...flags: string[]) => (await run(["show", withLabel.header.id, ...flags])).out;
  for (const flags of [[], ["--all"], ["--full"]]) {
    const out = await show(...flags);
    const [heading = ""] = out.split("\n\n", 1);
    const whole = await show(...flags, "--tail", "1000");
    for (const count of ["1", "3"]) {
      const tail = await show(...flags, "--tail", count);
      expect(tail.startsWith(heading)).toBe(true);
      const body = tail.slice(heading.length).trim();
      expect(whole.trim().endsWith(body)).toBe(true);
      expect(out).toContain(body.split("\n\n")[0]);
    }
  }
  const lines = async (...flags: string[]) =>
    JSON.parse(await show("--json", ...flags)).entries.flatMap(
      ({ line, entry }: { line: number; entry: { type: string } }) =>
        METADATA.includes(entry.type) ? [] : line,
    );
  expect(await lines("--tail", "1000")).toEqual(await lines());
  expect(await lines("--tail", "2")).toEqual((await lines()).slice(-2));
});

test("show of one entry prints its whole output", async () => {
  const outputs = all.flatMap((each) =>
    each.entries
      .filter(({ message }) => message?.role === "toolResult")
      .map(({ id, message }) => ({ path: each.path, id, text: message.content[0]?.text ?? "" })),
  );
  const [long = { path: "", id: "", text: "" }] = outputs.sort(
    (a, b) => b.text.split("\n").length - a.text.split("\n").length,
  );
  const folded = await run(["show", long.path, "--all"]);
  expect(folded.out).toMatch(/… \d[\d,]* more lines?/);
  const { out } = await run(["show", long.path, long.id]);
  expect(out).toContain(long.text.trimEnd());
});

test("show prints paths of calls relative to the session's folder", async () => {
  const root = temporaryFolder();
  session({ cwd: "/home/ada/shop" })
    .user("Read them.")
    .tool("read", { path: "/home/ada/shop/src/tax.ts" }, "")
    .tool("read", { path: "/home/ada/blog/tax.md" }, "")
    .writeUnder(root);
  const { out } = await pidexAt(root, root)(["show", "@last"]);
  expect(out.match(/^→ .*/gm)).toEqual(["→ read src/tax.ts", "→ read /home/ada/blog/tax.md"]);
});

test("show prints the entry on a line, as the first column of piped hits names it", async () => {
  const [[location = "", id = ""] = []] = cellsOf((await run(["search", "type:message", "-n", "1"])).out);
  expect(location).toMatch(/\.jsonl:\d+$/);
  const path = location.replace(/:\d+$/, "");
  const entry = await run(["show", path, id]);
  expect(entry.out).not.toBe("");
  expect(await run(["show", location])).toEqual(entry);
  expect(await run(["show", `${location}#${id}`])).toEqual(entry);
  const inJson = await run(["show", location, "--json"]);
  expect(inJson.out).toBe((await run(["show", path, id, "--json"])).out);
  for (const [command = "", ...flags] of [["tree"], ["spend"], ["resume"], ["export", "--format", "md"]])
    expect(await run([command, location, ...flags])).toEqual(await run([command, path, ...flags]));
  const { exit, err } = await run(["show", `${path}:1`]); // the header
  expect(exit).toBe(3);
  expect(err).toContain(`no entry on line 1 of ${path}\n`);
});

test("stats equals the counts of a script over JSON.parse", async () => {
  const { stats } = JSON.parse((await run(["stats", "--json"])).out);
  expect(stats.sessions).toBe(own.length);
  expect(stats.subagentSessions).toBe(all.length - own.length);
  expect(stats.files).toBe(all.length);
  expect(stats.entries).toBe(entries.length);
  expect(stats.messages).toBe(entries.filter(({ type }) => type === "message").length);
  const text = (await run(["stats"], { columns: 80 })).out;
  expect(text).toContain(`${own.length}, plus ${all.length - own.length} subagent session`);
  for (const { header } of own) expect(text).toContain(basename(header.cwd));
  const narrow = (await run(["stats"], { columns: 50 })).out;
  expect(narrow).toMatch(/^tokens {7}.* input, .*\n {13}\S.*cache write$/m);
  expect(text).toMatch(/^ +\d+ responses? +\S+\/\S+$/m);
  expect(text).toMatch(/^ +\d+ sessions? +\S+$/m);
});

test("empty results are reported on stderr, and stdout is empty", async () => {
  const nothing = ["--project", "nosuchproject"];
  expect(await run(["list", ...nothing], { columns: 80 })).toEqual({
    exit: 0,
    out: "",
    err: 'No sessions match.\n  No session has the project "nosuchproject". Projects: shop, parser, 书店.\n',
  });
  expect(await run(["search", "tax", ...nothing])).toEqual({
    exit: 3,
    out: "",
    err: 'No sessions match "tax"\n  Try without --project\n  Search the files themselves: pidex search --substring tax\n  No session has the project "nosuchproject". Projects: shop, parser, 书店.\n',
  });
  expect(await run(["search", "tax", "nosuchword", '"no such phrase"'])).toEqual({
    exit: 3,
    out: "",
    err: `No sessions match tax nosuchword "no such phrase"
  Not in the index: nosuchword. Never side by side: "no such phrase" (try without quotes)
  Search without quotes: pidex search tax nosuchword no such phrase
  Search the files themselves: pidex search --substring 'tax nosuchword no such phrase'
`,
  });
  expect(await run(["search", "tag:nosuchtag"])).toEqual({
    exit: 3,
    out: "",
    err: 'No sessions match "tag:nosuchtag"\n  No session has the tag "nosuchtag".\n',
  });
  expect(await run(["stats", "--problems"])).toEqual({ exit: 0, out: "", err: "no problems\n" });
  const bare = own.find(({ entries: those }) => !those.some(({ type }) => type === "label")) as PlainSession;
  expect(await run(["labels", bare.path])).toEqual({ exit: 0, out: "", err: "no labels\n" });
});
