/**
 * Writes docs/json.md from the zod schemas of results: `npm run docs`. A test fails if the page and the
 * schemas differ.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { DifferenceJson, VerifyJson } from "../bin/cli/verify-answer.ts";
import { WatchedSyncJson } from "../bin/cli/watch-answers.ts";
import {
  DeletedFileJson,
  DeletedJson,
  ForkedJson,
  MovedJson,
  RestoredJson,
  SessionMetadataJson,
  TrashedJson,
} from "../bin/cli/write-answers.ts";
import {
  ClosestMatchesJson,
  CountJson,
  FacetCountJson,
  FacetsJson,
  FileTouchesJson,
  FileTouchJson,
  HitJson,
  HitLocationJson,
  LabelJson,
  ProblemJson,
  ScanHitJson,
  SessionHitsJson,
  SessionInfoJson,
  SnippetJson,
  StatsJson,
  TotalsJson,
  TreeEntryJson,
} from "../query/answers.ts";
import {
  DatabaseHealthJson,
  DiagnosisJson,
  FindingJson,
  FreshnessJson,
  LeftoverJson,
  OpenToOthersJson,
  ProblemCountJson,
  RootHealthJson,
  SkippedFolderJson,
  UnknownJson,
  VersionsJson,
  WatchingJson,
} from "../query/health/diagnosis.ts";
import { JSON_SCHEMA_VERSION } from "../query/json-version.ts";
import { SecretFindingJson } from "../query/secrets/secret-answers.ts";
import { SqlViewJson } from "../query/sql/sql-view.ts";
import {
  BudgetStatusJson,
  FiguresJson,
  SessionFiguresJson,
  SessionUsageJson,
  UsageEventJson,
  UsageGroupJson,
  UsageJson,
  UsageRowJson,
  UsageTokensJson,
} from "../query/usage/usage-answers.ts";

const OBJECTS: [string, string, z.ZodType][] = [
  ["Session", "A session in lists: pi's `SessionInfo` and additional fields.", SessionInfoJson],
  ["Session hits", "The hits of a search in one session.", SessionHitsJson],
  ["Hit", "An entry found by a search.", HitJson],
  ["Scan hit", "An entry found with `--substring` or `--regex`.", ScanHitJson],
  ["Location", "The location of an entry's copy in a fork.", HitLocationJson],
  ["Closest matches", "Sessions that match part of a query, if few match in full.", ClosestMatchesJson],
  ["Facets", "Match counts by field, with `--facets`.", FacetsJson],
  ["Totals", "The total number of matches, with `--facets`.", TotalsJson],
  ["Facet count", "A value, and the number of hits with it.", FacetCountJson],
  ["Snippet", "The text around the matches.", SnippetJson],
  ["File touches", "The touches of files in one session.", FileTouchesJson],
  ["File touch", "An entry that read, wrote, edited or otherwise touched a file.", FileTouchJson],
  ["Tree entry", "An entry in the tree of a session.", TreeEntryJson],
  ["Label", "A current label.", LabelJson],
  ["Problem", "A defect in a session file.", ProblemJson],
  ["Stats", "Totals of the index.", StatsJson],
  ["Usage", "Token usage and cost, broken down.", UsageJson],
  [
    "Usage group",
    "With two dimensions: the sum of all rows with the same value of the first one.",
    UsageGroupJson,
  ],
  ["Usage row", "The figures of one value, or of one pair of values, of the dimensions.", UsageRowJson],
  ["Figures", "Token usage, cost and times.", FiguresJson],
  ["Tokens", "Tokens by kind.", UsageTokensJson],
  ["Budget", "The cost so far compared with a budget.", BudgetStatusJson],
  ["Spend", "The cost of one session.", SessionUsageJson],
  ["Session figures", "A session and its figures.", SessionFiguresJson],
  ["Usage event", "A billable event, at the location where it counts.", UsageEventJson],
  ["Changed session", "A session that was named, labeled, pinned, archived or tagged.", SessionMetadataJson],
  ["Moved session", "A session with a new working directory.", MovedJson],
  ["Forked session", "A new session with the entries of another one.", ForkedJson],
  ["Deleted session", "A deleted session, and its new location.", DeletedJson],
  ["Deleted file", "A deleted file or folder, and its new location.", DeletedFileJson],
  ["Trashed session", "A session in the trash that can be restored.", TrashedJson],
  ["Restored session", "A session that was restored from the trash.", RestoredJson],
  ["Verification", "The result of comparing the index with the session files.", VerifyJson],
  ["Difference", "A difference between the index and the session files.", DifferenceJson],
  ["Diagnosis", "The result of `pidex doctor`. doctor.md lists its findings.", DiagnosisJson],
  ["Finding", "An error, warning or remark, and its fix.", FindingJson],
  ["Versions", "The versions of pidex and its components.", VersionsJson],
  ["Root", "A folder that is searched for sessions.", RootHealthJson],
  ["Database", "The index file and its state.", DatabaseHealthJson],
  ["Skipped folder", "A session folder that is not indexed.", SkippedFolderJson],
  ["Leftover", "A file left beside the database.", LeftoverJson],
  ["Freshness", "How far the index is behind the session files.", FreshnessJson],
  ["Open to others", "Session files that other users can read.", OpenToOthersJson],
  ["Watching", "Whether folders can be watched, and how many.", WatchingJson],
  ["Unknown", "Something that could not be determined, and why.", UnknownJson],
  ["Problem count", "Problems in session files by code.", ProblemCountJson],
  ["Watched sync", "A sync of `pidex watch` that found changes.", WatchedSyncJson],
  ["Secret", "A likely key, token or password, masked, at one of its locations.", SecretFindingJson],
  ["Count", "A name and a number.", CountJson],
  ["View", "A view that `pidex sql` can query.", SqlViewJson],
];

const OUTPUTS: [string, string][] = [
  [
    "pidex index --json",
    "`{schema, report}`: files seen, `added`, `appended`, `reindexed`, `moved`, `forgotten`, `faulty`, `skipped`, `bytesRead`, `linesRead`, `bytesVerified`, `unlisted`, `busy`, `behind`, `roots`, `databasePath`",
  ],
  ["pidex watch --json", "`{schema, …Watched sync}`, one for each sync that found changes"],
  [
    "pidex list --json",
    "`{schema, sessions: [Session], total, next?}`; `next` is the `--cursor` of the next page",
  ],
  [
    "pidex search WORDS --json",
    "`{schema, sessions: [Session hits], hitCount, sessionCount, more, next?, facets?, totals?, unfound?, closest?, notAQuery?, broadPrefixes?}`; `more` is true if some hits were not ranked: `hitCount` and `sessionCount` count the ranked ones, `totals` all; `next` is the `--cursor` of the next page; `unfound`, if no session matches in full, lists the words that are not in the index; `closest` (Closest matches) is present if closest matches follow; `notAQuery` says why the query was read as plain words; `broadPrefixes` lists prefixes of one or two letters of which only the 64 most frequent words were searched",
  ],
  [
    "pidex search WORDS --flat --json",
    "`{schema, hits: [Hit], hitCount, sessionCount, more, next?, facets?, totals?, unfound?, closest?, notAQuery?, broadPrefixes?}`",
  ],
  ["pidex search --substring TEXT --json", "`{schema, hits: [Scan hit]}`; the same with `--regex RE2`"],
  [
    "pidex files PATTERN --json",
    "`{schema, total, touchCount, next?, sessions: [File touches]}`; `next` is the `--cursor` of the next page",
  ],
  [
    "pidex show SESSION --json",
    "`{schema, session: Session, entries: [{entry, line, byteOffset, byteLength}]}`; `entry` as in the file, upgraded to version 3",
  ],
  [
    "pidex show SESSION --context --json",
    "`{schema, session: Session, context: {messages, thinkingLevel, model}}`",
  ],
  [
    "pidex tree SESSION --json",
    "`{schema, session: Session, entries: [Tree entry]}`, in file order; `parentId` links them into a tree",
  ],
  ["pidex labels --json", "`{schema, labels: [Label]}`"],
  ["pidex stats --json", "`{schema, stats: Stats}`"],
  ["pidex stats --problems --json", "`{schema, problems: [Problem]}`"],
  ["pidex usage --json", "`{schema, usage: Usage}`; `--ndjson` has its rows"],
  [
    "pidex usage --explain --json",
    "`{schema, total: Figures, events: [Usage event]}`; the same for `spend`; `costNanoUsd` of the events adds up to the total's",
  ],
  ["pidex spend SESSION --json", "`{schema, spend: Spend}`"],
  [
    "pidex sql SQL --json",
    "`{schema, columns, rows: [{…}]}`: each row is an object with a value per column name (`a_2` for a second `a`): text, a number, null, `{blob}` with hex digits, or text if a number cannot represent it. With `--ndjson` a column named `schema` replaces the version number",
  ],
  ["pidex sql --schema --json", "`{schema, views: [View]}`"],
  ["pidex resume SESSION --json", "`{schema, command, cwd, argv, session: Session}`"],
  [
    "pidex name SESSION --json",
    "`{schema, dryRun, sessions: [Changed session]}`; the same for `label`, `pin`, `archive` and `tag`",
  ],
  ["pidex move SESSION CWD --json", "`{schema, dryRun, moved: Moved session}`"],
  ["pidex fork SESSION --json", "`{schema, dryRun, forked: Forked session}`"],
  ["pidex delete SESSION --json", "`{schema, dryRun, deleted: [Deleted session]}`"],
  ["pidex restore --json", "`{schema, trashed: [Trashed session]}`, most recently deleted first"],
  ["pidex restore SESSION --json", "`{schema, dryRun, restored: [Restored session]}`"],
  ["pidex verify --json", "`{schema, verification: Verification}`; `--ndjson` has the differences"],
  ["pidex secrets --json", "`{schema, secrets: [Secret]}`, in the order in which they are found"],
  ["pidex doctor --json", "`{schema, diagnosis: Diagnosis}`; `--ndjson` has the findings"],
];

interface JsonSchema {
  title?: string;
  type?: string | string[];
  anyOf?: JsonSchema[];
  enum?: string[];
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  format?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

/** The current content of the page. */
export function jsonPage(): string {
  return `# JSON

Every command with results accepts \`--json\` (one object) and, if there can be many results, \`--ndjson\` (one
object per line: the items of the list, each with \`schema\`). \`schema\` is ${JSON_SCHEMA_VERSION}; it increases when a change could break
a reader. Adding a field does not change it. Fields marked \`?\` are absent if they don't apply. Times are ISO 8601 in UTC.

This page is generated from the zod schema of each answer by \`npm run docs\`: do not edit it.

## Commands

${table(
  ["command", "output"],
  OUTPUTS.map(([command, answer]) => [`\`${command}\``, answer]),
)}
${OBJECTS.map(([name, about, schema]) => section(name, about, schema)).join("\n")}`;
}

function section(name: string, about: string, schema: z.ZodType): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schema) as JsonSchema;
  const rows = Object.entries(properties).map(([field, value]) => [
    `\`${field}\`${required.includes(field) ? "" : "?"}`,
    typeName(value),
    value.description ?? "",
  ]);
  return `## ${name}\n\n${about}\n\n${table(["field", "type", "meaning"], rows)}`;
}

function typeName({ title, type, anyOf, enum: values, items, prefixItems, format }: JsonSchema): string {
  if (title) return title;
  if (Array.isArray(type)) return type.join(" or ");
  if (values) return values.map((value) => `\`"${value}"\``).join(" or ");
  if (anyOf) return anyOf.map(typeName).join(" or ");
  if (prefixItems) return `[${prefixItems.map(typeName).join(", ")}]`;
  if (type === "array") return `list of ${items ? typeName(items) : "anything"}`;
  if (format === "date-time") return "time";
  return type ?? "anything";
}

function table(headings: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return line(headings) + line(headings.map(() => "---")) + rows.map(line).join("");
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, "json.md"), jsonPage());
