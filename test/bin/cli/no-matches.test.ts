/** What commands say when nothing was found: words that look like filters, and values that no session has. */
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { linesOf, pidexAt } from "../cli.ts";

async function createSessions() {
  const folder = temporaryFolder();
  const run = pidexAt(folder, folder);
  session({ id: "till", cwd: "/p/shop" })
    .user("Round the tax.")
    .tool("bash", { command: "true" }, "")
    .assistant("Done.", { model: "claude-opus-4-5" })
    .entry({ type: "mood", mood: "good" })
    .writeUnder(folder);
  session({ id: "blog", cwd: "/p/blog" }).user("Write a post.").assistant("Done.").writeUnder(folder);
  await run(["tag", "till", "work", "worker"]);
  return { run, err: async (...argv: string[]) => linesOf((await run(argv)).err) };
}

test("a search without matches names words that are no filters", async () => {
  const { err } = await createSessions();
  expect(await err("search", "foo:bar")).toContainEqual(
    expect.stringMatching(/^ {2}"foo:" is not a filter; searched for the words "foo:bar"\. Filters: role:, /),
  );
  expect(await err("search", "zzz:qqq", "opus")).toContainEqual(
    expect.stringContaining('"zzz:" is not a filter'),
  );
  expect(await err("search", "tax", "author:ada")).toContainEqual(
    expect.stringMatching(/^note: "author:" is not a filter \(did you mean role:\?\)/),
  );
  expect(await err("search", "qqqq", "model:")).toContainEqual(
    expect.stringContaining('"model:" needs a value'),
  );
  expect((await err("search", "Error: foo:bar")).join()).not.toContain("filter");
});

test("a search for re: names the command that searches with a regular expression", async () => {
  const { err } = await createSessions();
  const notice = (words: string, command: string) =>
    `searched for the words "${words}"; for a regular expression: pidex search --regex ${command}`;
  expect(await err("search", "re:SERVER_")).toContain(`  ${notice("re:SERVER_", "SERVER_")}`);
  expect(await err("search", "re:tax", "tax")).toContain(`note: ${notice("re:tax tax", "'tax tax'")}`);
  expect((await err("search", "re: tax")).join()).not.toContain("--regex");
});

test("an unknown type or role is an error, unless an agent wrote it", async () => {
  const { run } = await createSessions();
  const { exit, out, err } = await run(["search", "type:foo"]);
  expect([exit, out]).toEqual([2, ""]);
  expect(err).toMatch(/^pidex: unknown filter type:foo\n {2}Known values: message, compaction, /);
  expect((await run(["search", "--flat", "tax", "role:robot", "--json"])).err).toContain(
    "unknown filter role:robot",
  );
  expect((await run(["search", "type:mood"])).exit).toBe(0);
  expect((await run(["search", "tax -type:foo"])).exit).toBe(0);
});

test("a filter of entries that no entry with the words satisfies is named, if sessions match without it", async () => {
  const { err } = await createSessions();
  const without = "must match the same entry as the words. Without it, a session matches: tax";
  expect(await err("search", "tax role:assistant")).toContain(`  role:assistant ${without}`);
  expect((await err("search", "nosuchword role:assistant")).join()).not.toContain("Without it");
  expect((await err("search", "role:bashExecution")).join()).not.toContain("Without it");
});

test.each(["role:bashExecution -tax", "role:bashExecution !!!"])(
  "%s, without a word to search for, is no error",
  async (query) => {
    const { run } = await createSessions();
    const { exit, err } = await run(["search", query]);
    expect(err).toContain("No sessions match");
    expect(err).not.toContain("pidex:");
    expect(exit).toBe(3);
  },
);

test("an abbreviated filter is named", async () => {
  const { err } = await createSessions();
  expect((await err("search", "proj:shop")).join()).toContain(
    '"proj:" is not a filter (did you mean project:?)',
  );
});

test("values of filters that no session has are named, with the nearest", async () => {
  const { err } = await createSessions();
  const tag = '  No session has the tag "wrok". Nearest: work, worker.';
  expect(await err("list", "--tag", "wrok")).toEqual(["No sessions match.", tag]);
  expect(await err("search", "tax", "tag:wrok")).toContain(tag);
  expect(await err("files", "*.ts", "--tag", "wrok")).toContain(tag);
  const project = '  No session has the project "shpo". Nearest: shop.';
  expect(await err("list", "--project", "shpo")).toContain(project);
  expect(await err("usage", "daily", "--project", "shpo")).toContain(project);
  expect(await err("search", "tax", "--model", "opsu")).toContain(
    '  No session has the model "opsu". Nearest: claude-opus-4-5.',
  );
  const tool = (await err("search", "tax", "tool:bsh")).filter((line) => !line.includes("Search the files"));
  expect(tool).toEqual([
    'No sessions match "tax tool:bsh"',
    '  No session has the tool "bsh". Nearest: bash.',
  ]);
  // What is only the start of a name.
  expect(await err("search", "project:sh")).toContain('  No session has the project "sh". Nearest: shop.');
  expect(await err("search", "--model", "opus-4", "tag:wor", "tax")).toContain(
    '  No session has the tag "wor". Nearest: work, worker.',
  );
  expect(await err("list", "--tag", "wo")).toContain('  No session has the tag "wo". Nearest: work, worker.');
});

test("where no value is near, the known ones are listed", async () => {
  const { run, err } = await createSessions();
  expect(await err("list", "--tag", "quite-another")).toContain(
    '  No session has the tag "quite-another". Tags: work, worker.',
  );
  expect(await err("list", "--model", "gpt")).toContainEqual(
    expect.stringMatching(/^ {2}No session has the model "gpt"\. Models: .*claude-opus-4-5/),
  );
  await run(["tag", "blog", "a1", "b2", "c3", "d4", "e5"]);
  expect((await err("list", "--tag", "quite-another")).join()).toMatch(/Tags: (\w+, ){5}…$/);
});

test("filters by machine and person point to the hub", async () => {
  const { err } = await createSessions();
  expect(await err("list", "--machine", "laptop")).toEqual([
    "No sessions match.",
    "  --machine selects sessions on a hub: add --hub.",
  ]);
});

test("an unknown action of files is suggested", async () => {
  const { run } = await createSessions();
  const { exit, err } = await run(["files", "*.ts", "--action", "raed"]);
  expect([exit, err]).toEqual([
    2,
    expect.stringContaining("invalid --action 'raed' (did you mean read?)\n  --action <list>"),
  ]);
});

test("a start in the future is named, in a query too", async () => {
  const { err } = await createSessions();
  expect(await err("search", "tax since:2099-01-01")).toContain("  since:2099-01-01 is in the future");
  expect(await err("list", "--since", "2099-01-01")).toContain("  --since 2099-01-01 is in the future");
});

test("files that end in an extension are found by a glob", async () => {
  const { err } = await createSessions();
  expect(await err("files", ".ts")).toContain("  For files with this extension: pidex files '*.ts'");
});

test.each([
  [3, ["search", "nosuchword"]],
  [3, ["search", "--substring", "nosuchword"]],
  [3, ["files", "nosuch.ts"]],
  [0, ["list", "--tag", "nosuch"]],
  [0, ["labels"]],
  [0, ["usage", "daily", "--project", "nosuch"]],
  [0, ["stats", "--problems"]],
])("without a result, the exit code is %i: %j", async (exit, argv) => {
  const { run } = await createSessions();
  const plain = await run(argv);
  expect([plain.exit, plain.out]).toEqual([exit, ""]);
  expect(plain.err).not.toBe("");
  expect((await run([...argv, "--json"])).exit).toBe(exit);
  expect((await run([...argv, "--ndjson"])).exit).toBe(exit);
});

test("a value that some session has is not named", async () => {
  const { err } = await createSessions();
  expect(await err("list", "--tag", "work", "--project", "blog")).toEqual(["No sessions match."]);
  expect(await err("list", "--tag", "wor*", "--model", "opus", "--project", "blog")).toEqual([
    "No sessions match.",
  ]);
});
