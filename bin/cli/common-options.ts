/** Options that several commands have. */
import type { CommandDefinition, OptionDefinition, ValuesOf } from "./option-types.ts";

export const SESSION = "Path, id, id prefix, or @last";
export const SESSION_OR_LOCATION = "Path, id, id prefix, @last, or path:line from search";

/** What shells complete from the index. */
export const VALUE_KINDS = [
  "sessions",
  "entries",
  "project",
  "tag",
  "model",
  "provider",
  "machine",
  "person",
] as const;

/** Options of commands that open the index. */
export const INDEX = [
  ["--root <folder>", "Use only this session folder; repeat for more", { repeats: true }],
  ["--db <file>", "Index file (default: $PIDEX_DB, else in your cache)"],
] as const;

/** Options of commands that sync the index first. */
export const SYNCED = [...INDEX, ["--no-sync", "Use the index without updating it"]] as const;

const HUB = [
  "--hub",
  "Use the sessions on your hub (default if PIDEX_HUB=1)",
  { conflicts: ["root", "db"] },
] as const;

/** Options of commands that can read the sessions of a hub instead. */
export const INDEX_OR_HUB = [...INDEX, HUB] as const;
export const SYNCED_OR_HUB = [...SYNCED, HUB] as const;

export const OUTPUT = [
  ["--json", "Print one JSON object", { conflicts: ["ndjson"] }],
  ["--ndjson", "Print one JSON object per line"],
] as const;

/** The same for lists. `select-fields.ts` has how fields are read. */
export const OUTPUT_WITH_FIELDS = [
  ["--json [fields]", "Print one JSON object; optional fields: id,title", { conflicts: ["ndjson"] }],
  ["--ndjson [fields]", "Print one JSON object per line; optional fields: id,title"],
] as const;

const CSV = [
  "--csv",
  "Print comma-separated values with a header row",
  { conflicts: ["json", "ndjson"] },
] as const;

export const OUTPUT_WITH_CSV = [...OUTPUT, CSV] as const;
export const OUTPUT_WITH_FIELDS_AND_CSV = [...OUTPUT_WITH_FIELDS, CSV] as const;

/** The options of commands that read the index. */
export const ANSWERS = { "Index:": SYNCED, "Output:": OUTPUT } as const;

/** The same of commands that need no session files. */
export const ANSWERS_OR_HUB = { "Index:": SYNCED_OR_HUB, "Output:": OUTPUT } as const;

export const LISTS_OR_HUB = { "Index:": SYNCED_OR_HUB, "Output:": OUTPUT_WITH_FIELDS } as const;

/** The option of commands with long output. */
export const NO_PAGER = ["--no-pager", "Print long output without a pager"] as const;

export const PERIOD = [
  ["--since <time>", "Start time, inclusive: 7d, last week, 2026-01-31"],
  ["--until <time>", "End time, exclusive: yesterday, 2026-01-31"],
] as const;

/** Filters by project folder. */
export const FOLDER = [
  ["--here", "Show only sessions from the current folder", { conflicts: ["cwd"] }],
  ["--cwd <folder>", "Show only sessions from exactly this folder"],
  ["--project <name>", "Show only sessions of this project: shop, ada/shop"],
] as const;

const PAIRED = { isPaired: true } as const;

const WHICH = ["no", "yes", "only"] as const;

/** The filters of commands that list or search sessions; the parameters are the defaults that help shows. */
export const filters = ({ subagents = "no", archived = "yes" } = {}) =>
  [
    ...FOLDER,
    ["--model <name>", "Show only sessions with this model: opus, openai/gpt-5"],
    ["--machine <name>", "With --hub: show only sessions of this machine"],
    ["--person <name>", "With --hub: show only sessions of this person"],
    ...PERIOD,
    ["--named", "Show only named sessions"],
    ["--no-named", "Show only unnamed sessions", PAIRED],
    ["--labeled", "Show only sessions with labels"],
    ["--no-labeled", "Show only sessions without labels", PAIRED],
    ["--pinned", "Show only pinned sessions"],
    ["--no-pinned", "Show only sessions that are not pinned", PAIRED],
    ["--tag <tag>", "Show only sessions with this tag; repeat to require all", { repeats: true }],
    ["--archived <which>", `Include archived sessions (default: ${archived})`, { choices: WHICH }],
    ["--internal", "Show only internal sessions of an agent"],
    ["--no-internal", "Exclude internal sessions of an agent", PAIRED],
    ["--problems", "Show only sessions with problems in their files"],
    ["--no-problems", "Show only sessions without problems", PAIRED],
    ["--subagents <which>", `Include subagent sessions (default: ${subagents})`, { choices: WHICH }],
  ] as const;

/** Values of the options of most commands. */
export type CommonOptions = ValuesOf<(typeof SYNCED)[number]> & {
  json?: boolean | string[] | undefined;
  ndjson?: boolean | string[] | undefined;
};
export type FilterFlags = CommonOptions & ValuesOf<ReturnType<typeof filters>[number]>;

/** All options of a command. */
export type FlagsOf<C extends CommandDefinition> = ValuesOf<OwnOption<C> | GroupedOption<C>>;
type OwnOption<C> = C extends { options: readonly (infer O extends OptionDefinition)[] } ? O : never;
type GroupedOption<C> = C extends { groups: Record<string, readonly (infer O extends OptionDefinition)[]> }
  ? O
  : never;
