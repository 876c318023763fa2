import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { SessionManager } from "../../../library/session-manager.ts";
import { temporaryFolder } from "../../temporary.ts";
import { cellsOf, linesOf, pidexAt } from "../cli.ts";

/** Three sessions, the newest of which is archived. */
async function createTagged() {
  const folder = temporaryFolder();
  const run = pidexAt(folder, folder);
  for (const [id, month] of [
    ["shop", "01"],
    ["till", "02"],
    ["bill", "03"],
  ] as const) {
    session({ id, timestamp: `2026-${month}-01T10:00:00.000Z` })
      .user("hello")
      .writeUnder(folder);
  }
  await run(["tag", "shop", "tax", "old"]);
  await run(["tag", "till", "tax"]);
  await run(["tag", "bill", "#new"]);
  await run(["archive", "bill"]);
  return run;
}

test("lists all tags with the number of sessions, those of the newest session first", async () => {
  const run = await createTagged();
  const rows = cellsOf((await run(["tags"])).out);
  expect(rows.map(([tag, sessions]) => [tag, sessions])).toEqual([
    ["new", "1"],
    ["tax", "2"],
    ["old", "1"],
  ]);
  expect(rows[0]?.[2]).toMatch(/^2026-03-01T/);
  expect(rows[1]?.[2]).toMatch(/^2026-02-01T/);
  const shown = linesOf((await run(["tags", "-n", "2"], { columns: 80 })).out);
  expect(shown).toHaveLength(3);
  expect(shown[0]).toMatch(/^TAG +SESSIONS +NEWEST SESSION$/);
});

test("JSON has all fields or some", async () => {
  const run = await createTagged();
  const { tags } = JSON.parse((await run(["tags", "-n", "1", "--json"])).out);
  expect(tags).toEqual([{ tag: "new", sessions: 1, modified: expect.stringMatching(/^2026-03-01T/) }]);
  expect(JSON.parse((await run(["tags", "--json", "tag,sessions"])).out).tags[1]).toEqual({
    tag: "tax",
    sessions: 2,
  });
  expect(linesOf((await run(["tags", "--ndjson"])).out)).toHaveLength(3);
  expect((await run(["tags", "--json=nope"])).err).toContain('unknown field "nope"');
});

test("a leading # of a tag is ignored in filters", async () => {
  const run = await createTagged();
  const plain = (await run(["list", "--tag", "tax"])).out;
  expect(linesOf(plain)).toHaveLength(2);
  expect((await run(["list", "--tag", "#Tax"])).out).toBe(plain);
  const found = linesOf((await run(["search", "hello tag:#tax", "--ndjson"])).out);
  expect(found).toHaveLength(2);
});

test("a leading # of a tag is ignored in the library and in files", async () => {
  const folder = temporaryFolder();
  const path = session().user("hello").assistant("yes").writeUnder(folder);
  const manager = SessionManager.open(path);
  manager.setTags(["#tax", " # old", "tax", "#"]);
  expect(manager.getTags()).toEqual(["tax", "old"]);
  manager.removeTags("#old");
  expect(manager.getTags()).toEqual(["tax"]);
});

test("without tags, says so", async () => {
  const folder = temporaryFolder();
  session().user("hello").writeUnder(folder);
  expect(await pidexAt(folder, folder)(["tags"])).toEqual({
    exit: 0,
    out: "",
    err: "no tags; add one: pidex tag SESSION TAG\n",
  });
});

test("completions without a shell say how to install them", async () => {
  const folder = temporaryFolder();
  const { exit, err } = await pidexAt(folder, folder)(["completions"]);
  expect(exit).toBe(2);
  expect(err).toContain('In ~/.bashrc: eval "$(pidex completions bash)"; ');
  expect(err).toContain("in config.fish: pidex completions fish | source.");
});
