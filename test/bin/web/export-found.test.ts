/** Exports of search results: complete, nothing else, and within the limits. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { renderExport } from "../../../bin/web/export/render-export.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidexAt } from "../cli.ts";
import { serveSynced } from "./serve-synced.ts";

/** More than the former limit of an export. */
const MANY = 70;

function writeRoot() {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  for (let n = 0; n < MANY; n++) {
    const talk = session({ id: `talk-${n}`, cwd: n < 3 ? "/w/few" : "/w/many" });
    talk.user(`the needle ${n}`).assistant("found").user(`another needle ${n}`);
    if (n % 10 === 0) talk.name(`Named ${n}`);
    talk.writeUnder(root);
  }
  return { folder, root, run: pidexAt(root, folder) };
}

/** The distinct sessions in a JSONL export. */
const sessionsIn = (jsonl: string): string[] => [
  ...new Set(
    jsonl
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line).session?.id)
      .filter(Boolean),
  ),
];

describe("the page exports exactly what its filters show", () => {
  test.each([
    ["everything", {}, MANY],
    ["a folder", { cwd: "/w/few" }, 3],
    ["named ones", { named: "true" }, 7],
    ["no archived ones", { archived: "no" }, MANY - 2],
    ["archived ones alone", { archived: "only" }, 2],
    ["by time", { sort: "oldest", archived: "no" }, MANY - 2],
    ["a tag", { tags: "kept", archived: "yes" }, 2],
    ["one role", { role: "assistant", cwd: "/w/few" }, undefined],
  ])("%s", async (_, filters: Record<string, string>, count) => {
    const { root, folder, run } = writeRoot();
    expect((await run(["archive", "talk-11"])).exit).toBe(0);
    expect((await run(["archive", "talk-12"])).exit).toBe(0);
    expect((await run(["tag", "talk-12", "--add", "kept"])).exit).toBe(0);
    expect((await run(["tag", "talk-3", "--add", "kept"])).exit).toBe(0);
    const server = await serveSynced(root, { db: join(folder, "index.db") });
    const shown: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const query = new URLSearchParams({
        query: "needle",
        limit: "8",
        ...filters,
        ...(cursor && { cursor }),
      });
      const page = await server.json(`/api/search?${query}`);
      shown.push(...page.sessions.map((each: { session: { id: string } }) => each.session.id));
      cursor = page.next;
      if (cursor === undefined) break;
    }
    const query = new URLSearchParams({ search: "needle", format: "jsonl", ...filters });
    const exported = await (await server.fetch(`/api/export?${query}`)).text();
    expect(sessionsIn(exported)).toEqual(shown);
    if (count !== undefined) expect(shown).toHaveLength(count);
    if ("sort" in filters || "role" in filters) return; // they do not narrow what is counted
    const { totals } = await server.json(
      `/api/facets?${new URLSearchParams({ query: "needle", ...filters })}`,
    );
    expect(totals.sessions).toBe(shown.length);
  });
});

describe("on the command line", () => {
  test("filters apply to an export as to a search", async () => {
    const { run } = writeRoot();
    for (const flags of [[], ["--cwd", "/w/few"], ["--named"], ["--archived", "only"], ["--strict"]]) {
      const found = await run(["search", "needle", "--json", "-n", "1000", ...flags]);
      const ids = JSON.parse(found.out).sessions.map((each: { session: { id: string } }) => each.session.id);
      const { out } = await run(["export", "--search", "needle", "--format", "jsonl", ...flags]);
      expect(sessionsIn(out)).toEqual(ids);
    }
  });

  test("filters without a search are an error", async () => {
    const { exit, err } = await writeRoot().run(["export", "talk-1", "--since", "7d"]);
    expect([exit, err]).toEqual([2, expect.stringContaining("since")]);
  });

  test("the number of sessions is correct", async () => {
    const { run } = writeRoot();
    const { out } = await run(["export", "--search", "needle", "--format", "md"]);
    expect(out).toContain(`Best hits in ${MANY} sessions`);
    expect(out.match(/^# talk|^# the needle|^# Named/gm)).toHaveLength(MANY);
    const few = await run(["export", "--search", "needle", "--format", "md", "-n", "4"]);
    expect(few.out).toContain(`Best hits in the first 4 of ${MANY} sessions`);
    expect(few.out).toContain("Stopped at 4 sessions: the rest is not in this export");
  });
});

test("the counts of an export and the page include cross-entry matches", async () => {
  const { folder, root, run } = writeRoot();
  for (let n = 0; n < 3; n++)
    session({ id: `across-${n}` })
      .user(`the needle ${n}`)
      .user("another day")
      .writeUnder(root);
  const server = await serveSynced(root, { db: join(folder, "index.db") });
  const query = "needle another";
  const { totals } = await server.json(`/api/facets?${new URLSearchParams({ query })}`);
  expect(totals).toMatchObject({ sessions: MANY + 3, isWhole: true });
  const { out } = await run(["export", "--search", query, "--format", "md"]);
  expect(out).toContain(`in ${MANY + 3} sessions`);
  const written = await run(["export", "--search", query, "--format", "jsonl"]);
  expect(sessionsIn(written.out)).toHaveLength(MANY + 3);
});

describe.each(["html", "md", "jsonl"] as const)(
  "%s that reaches a limit ends properly and reports it",
  (format) => {
    async function written(
      limits: { sessions?: number; bytes?: number },
      what: object = { search: "needle" },
    ) {
      const { folder, root } = writeRoot();
      await using index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
      await index.sync();
      let text = "";
      for await (const piece of renderExport(index, { ...what, format, limits, redactor: undefined }))
        text += piece;
      return text;
    }

    test("of sessions", async () => {
      const text = await written({ sessions: 5 });
      expect(text).toContain("Stopped at 5 sessions: the rest is not in this export");
      if (format === "jsonl") expect(sessionsIn(text)).toHaveLength(5);
      if (format === "html") expect(text.endsWith("</html>\n")).toBe(true);
    });

    test("of bytes, after the entry that exceeds it", async () => {
      const whole = await written({});
      const limit = Math.floor(Buffer.byteLength(whole) / 2);
      const text = await written({ bytes: limit });
      expect(text).toMatch(/Stopped at [\d.,]+ .?B: the rest is not in this export/);
      expect(Buffer.byteLength(text)).toBeGreaterThan(limit);
      expect(Buffer.byteLength(text)).toBeLessThan(limit + 2_000);
      expect(whole).not.toContain("Stopped at");
    });

    test("also of one session", async () => {
      const text = await written({ bytes: 1 }, { session: "talk-1" });
      expect(text).toContain("Stopped at");
      expect(text).not.toMatch(/>found<|^found$|"found"/m);
    });
  },
);

test("a search reports before each session how many of them are done", async () => {
  const { root, folder } = writeRoot();
  await using index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
  await index.sync();
  const reported: [number, number][] = [];
  const onProgress = (done: number, total: number) => void reported.push([done, total]);
  const options = { search: "needle", format: "jsonl", redactor: undefined, onProgress } as const;
  expect(sessionsIn((await Array.fromAsync(renderExport(index, options))).join(""))).toHaveLength(MANY);
  expect(reported).toEqual(Array.from({ length: MANY }, (_, n) => [n, MANY]));
});
