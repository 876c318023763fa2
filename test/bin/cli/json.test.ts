import { expect, test } from "vitest";
import { z } from "zod";
import { TagJson } from "../../../bin/cli/tag-answers.ts";
import {
  ClosestMatchesJson,
  FacetsJson,
  HitJson,
  LabelJson,
  ProblemJson,
  ScanHitJson,
  SessionHitsJson,
  SessionInfoJson,
  StatsJson,
  TotalsJson,
  TreeEntryJson,
} from "../../../query/answers.ts";
import { JSON_SCHEMA_VERSION } from "../../../query/json-version.ts";
import {
  FiguresJson,
  SessionUsageJson,
  UsageEventJson,
  UsageJson,
} from "../../../query/usage/usage-answers.ts";
import { temporaryFolder } from "../../temporary.ts";
import { BROKEN, linesOf, PI, pidexAt, strict } from "../cli.ts";

const Placed = z.strictObject({
  entry: z.looseObject({ type: z.string() }),
  line: z.int(),
  byteOffset: z.int(),
  byteLength: z.int(),
});
const Context = z.strictObject({
  messages: z.array(z.looseObject({ role: z.string() })),
  thinkingLevel: z.string(),
  model: z.strictObject({ provider: z.string(), modelId: z.string() }).nullable(),
});
const Report = z.strictObject({
  ...Object.fromEntries(
    "files skipped added appended reindexed moved forgotten faulty bytesRead linesRead bytesVerified"
      .split(" ")
      .map((name) => [name, z.int()]),
  ),
  unlisted: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  busy: z.boolean(),
  behind: z.int(),
  roots: z.array(z.string()),
  databasePath: z.string(),
});

const session = SessionInfoJson;
/** Fields of every search result. */
const FOUND = { hitCount: z.int(), sessionCount: z.int(), more: z.boolean(), next: z.string().optional() };
/** Each command, the fields of its JSON object besides `schema`, and which field `--ndjson` prints as lines. */
const Range = z.object({ name: z.string(), since: z.iso.datetime(), until: z.iso.datetime() });

const ANSWERS: [string, Record<string, z.ZodType>, z.ZodType?][] = [
  ["index", { report: Report }],
  ["list", { sessions: z.array(session), total: z.int(), next: z.string().optional() }, session],
  ["list -n 3 --text", { sessions: z.array(session), total: z.int(), next: z.string() }, session],
  ["list --subagents only", { sessions: z.array(session), total: z.int() }, session],
  ["search tax", { sessions: z.array(SessionHitsJson), ...FOUND }, SessionHitsJson],
  ["search tax -n 1", { sessions: z.array(SessionHitsJson), ...FOUND, next: z.string() }, SessionHitsJson],
  ["search tax --flat", { hits: z.array(HitJson), ...FOUND }, HitJson],
  [
    "search tax --facets",
    { sessions: z.array(SessionHitsJson), ...FOUND, facets: FacetsJson, totals: TotalsJson },
    SessionHitsJson,
  ],
  ["search --substring roundToCents( -n 3", { hits: z.array(ScanHitJson).length(3) }, ScanHitJson],
  ["search --regex Round\\w+\\( role:assistant", { hits: z.array(ScanHitJson).max(0) }],
  [
    "search nosuchword tax --strict",
    {
      sessions: z.array(SessionHitsJson).max(0),
      ...FOUND,
      hitCount: z.literal(0),
      unfound: z.tuple([z.literal("nosuchword")]),
    },
  ],
  [
    "search nosuchword tax",
    {
      sessions: z.array(SessionHitsJson).min(1),
      ...FOUND,
      unfound: z.tuple([z.literal("nosuchword")]),
      closest: ClosestMatchesJson,
    },
    SessionHitsJson,
  ],
  [
    "search nosuchword",
    {
      sessions: z.array(SessionHitsJson).max(0),
      ...FOUND,
      hitCount: z.literal(0),
      unfound: z.tuple([z.literal("nosuchword")]),
    },
  ],
  ["show @last", { session, entries: z.array(Placed) }, Placed],
  ["show @last --all", { session, entries: z.array(Placed) }, Placed],
  ["show 019bb17b 73949f99", { session, entries: z.array(Placed).length(1) }, Placed],
  ["show @last --context", { session, context: Context }],
  ["tree 019bd693", { session, entries: z.array(TreeEntryJson) }, TreeEntryJson],
  ["labels", { labels: z.array(LabelJson) }, LabelJson],
  ["tags", { tags: z.array(TagJson) }, TagJson],
  ["stats", { stats: StatsJson }],
  ["stats --problems", { problems: z.array(ProblemJson) }, ProblemJson],
  ["usage", { usage: UsageJson, range: Range }],
  ["usage daily", { usage: UsageJson }],
  ["usage year", { usage: UsageJson, range: Range }],
  ["usage session --by model -n 3 --budget 20/month", { usage: UsageJson }],
  ["usage --explain", { total: FiguresJson, range: Range, events: z.array(UsageEventJson) }],
  ["usage daily --explain", { total: FiguresJson, events: z.array(UsageEventJson) }, UsageEventJson],
  ["spend 019c4bef", { spend: SessionUsageJson }],
  ["resume @last", { command: z.string(), cwd: z.string(), argv: z.array(z.string()), session }],
];

const schema = z.literal(JSON_SCHEMA_VERSION);

test.each(ANSWERS)("%s --json matches its documentation exactly", async (command, fields) => {
  const run = pidexAt(PI, temporaryFolder());
  const { out } = await run([...command.split(" "), "--json"]);
  expect(linesOf(out)).toHaveLength(1);
  strict(z.object({ schema, ...fields })).parse(JSON.parse(out));
  const forEyes = await run([...command.split(" "), "--json"], { columns: 80 });
  const volatile = /"(report|databaseBytes|score)"/.test(out);
  if (!volatile) expect(JSON.parse(forEyes.out)).toEqual(JSON.parse(out));
});

test.each(ANSWERS.filter(([, , item]) => item))(
  "%s --ndjson prints its items, one per line",
  async (command, fields, item) => {
    const run = pidexAt(PI, temporaryFolder());
    const whole = JSON.parse((await run([...command.split(" "), "--json"])).out);
    const list = Object.keys(fields).find((name) => Array.isArray(whole[name])) as string;
    const lines = linesOf((await run([...command.split(" "), "--ndjson"])).out).map((line) =>
      JSON.parse(line),
    );
    expect(lines).toHaveLength(whole[list].length);
    const one = strict(item as z.ZodObject);
    for (const { schema: version, ...rest } of lines) {
      expect(version).toBe(JSON_SCHEMA_VERSION);
      one.parse(rest);
    }
  },
);

test("sessions and problems of broken files match the documentation too", async () => {
  const run = pidexAt(BROKEN, temporaryFolder());
  const { sessions } = JSON.parse((await run(["list", "--json", "--all", "--subagents", "yes"])).out);
  const { problems } = JSON.parse((await run(["stats", "--problems", "--json"])).out);
  expect(problems.length).toBeGreaterThan(20);
  z.array(strict(ProblemJson)).parse(problems);
  for (const each of z.array(strict(SessionInfoJson)).parse(sessions) as { path: string }[]) {
    const tree = JSON.parse((await run(["tree", each.path, "--json"])).out);
    z.array(strict(TreeEntryJson)).parse(tree.entries);
    const shown = JSON.parse((await run(["show", each.path, "--json", "--all"])).out);
    z.array(Placed).length(tree.entries.length).parse(shown.entries);
  }
});

test("--text includes all messages", async () => {
  const run = pidexAt(PI, temporaryFolder());
  const { sessions } = JSON.parse((await run(["list", "--json", "--text"])).out);
  for (const { allMessagesText } of sessions) expect(allMessagesText).toEqual(expect.any(String));
  expect((await run(["list", "--json"])).out).not.toContain("allMessagesText");
});
