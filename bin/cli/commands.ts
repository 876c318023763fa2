/** Definitions of the commands, as data: the program, completions and the types of options come from it. */
import { INSIGHT_KINDS } from "../format/insight-kinds.ts";
import { WEEKDAYS } from "../format/weekdays.ts";
import {
  ANSWERS,
  ANSWERS_OR_HUB,
  type FlagsOf,
  FOLDER,
  filters,
  INDEX,
  INDEX_OR_HUB,
  LISTS_OR_HUB,
  NO_PAGER,
  OUTPUT,
  OUTPUT_WITH_CSV,
  OUTPUT_WITH_FIELDS_AND_CSV,
  PERIOD,
  SESSION,
  SESSION_OR_LOCATION,
  SYNCED,
  SYNCED_OR_HUB,
  VALUE_KINDS,
} from "./common-options.ts";
import { HUB_COMMANDS } from "./hub-commands.ts";
import type { CommandDefinition } from "./option-types.ts";
import { SESSION_COLUMN_NAMES } from "./session-column-names.ts";
import { TRANSFER_COMMANDS } from "./transfer-commands.ts";
import { DIMENSION_ALIASES, DIMENSION_NAMES, RANGE_ALIASES, RANGE_NAMES } from "./usage-dimensions.ts";
import { WRITE_COMMANDS } from "./write-commands.ts";

/** Estimates are never part of a cost. */
const ESTIMATES = ["--estimates", "Estimate what has no recorded cost, by published prices"] as const;
const ZONE = ["--time-zone <zone>", "Time zone of days: Europe/Berlin (default: yours)"] as const;
const WEEK_START = [
  "--week-start <day>",
  "First day of the week (default: monday)",
  { choices: WEEKDAYS, env: "PIDEX_WEEK_START" },
] as const;

const NO_OPEN = ["--no-open", "Print the link without opening a browser"] as const;
const CURSOR = ["--cursor <cursor>", "Continue from the `next` cursor of the previous page"] as const;
const RANKINGS = ["relevance", "newest", "oldest", "cost", "messages"] as const;

/** Options that select the form of a list of sessions. */
const SHAPE = [
  [
    "--columns <list>",
    "Show these columns, such as id,title,cost",
    { conflicts: ["json", "ndjson", "flat", "facets", "substring", "regex"] },
  ],
  [
    "--format <template>",
    "Print each session in this form: '{id} {title}'",
    { conflicts: ["json", "ndjson", "flat", "facets", "substring", "regex", "columns"] },
  ],
] as const;

/** Options that rank or group hits, which a scan can't: it prints hits as it finds them. */
const SCANNED = ["sort", "flat", "exact", "facets", "hits", "cursor"] as const;

const LIST_HELP = `
Columns: ${SESSION_COLUMN_NAMES.join(", ")}
Marks: ★ pinned  ⑂ forked  ⚑2 two labels  ! problems in its file
By cost or length: pidex search 'cost:>1 messages:>50'`;

const SEARCH_HELP = `
Query syntax:
  checkout tax     both words, in one entry or else in one session
  "double tax"     an exact phrase; round* is a prefix
  tax OR vat       either word; group with parentheses: (a OR b) c
  tax -blog        without a word; needs --: pidex search -- tax -blog

Fields (- before one excludes; quote > and < in a shell):
  role:user  type:compaction  tool:bash  is:error  file:src/tax.ts  label:done
  since:7d  until:2026-01-31  cost:>1  messages:10..50  model:opus  name:till
  project:shop  cwd:.  tag:till  is:pinned  is:archived  session:019c4bef
Fields alone, as in 'project:shop cost:>1', list sessions, last modified first.`;

const CERTAIN = ["--certain", "Show only sessions that are certain"] as const;

const CONFIDENCE_HELP = `
certain  the session's calls give this line between the same lines, and no other session wrote it
likely   the lines around it were changed, another session wrote the same line too, or the
         call replaced a whole file`;

const BUDGET_HELP = `
Exit code: 4 if a budget is used up, 5 if --warn-at is reached, otherwise 0.`;

const STATUS_HELP = `
Placeholders: {today} {week} {month} {session} {budget} {percent} {left} {stale}
{budget}, {percent} and {left} are of the budget with the greatest share used;
{stale} is " *" if the index is not up to date, and otherwise nothing.`;

export const COMMANDS = {
  index: {
    group: "Maintain",
    description: "Update the index and report what is new",
    groups: { "Index:": INDEX, "Output:": OUTPUT },
  },
  pick: {
    group: "Find",
    description: "Open the picker to find a session",
    args: { "[query...]": "Initial query" },
    options: [
      ["--query <text>", "Initial query, even if incomplete"],
      [
        "--print <what>",
        "Print a property of the selected session instead of resuming it",
        { choices: ["path", "id", "cwd", "command", "name"] },
      ],
      ["--all", "Start with sessions from all folders"],
      ["--here", "Start with sessions from the current folder", { conflicts: ["all"] }],
    ],
    groups: { "Index:": INDEX_OR_HUB },
  },
  demo: {
    group: "Integrate",
    description: "Try the picker with sample sessions",
    options: [
      ["--sessions <n>", "Number of sample sessions", { max: 20_000, default: 300 }],
      ["--keep", "Keep the sample folder and print its path"],
      ["--serve", "Open the web page instead of the picker"],
      ["--no-open", "With --serve: print the link without opening a browser"],
    ],
  },
  serve: {
    group: "Integrate",
    description: "Open the web page in a browser",
    args: { "[query]": "Initial query" },
    options: [
      ["--port <n>", "Port to listen on (default: 7439, or any free port)", { max: 65_535 }],
      ["--sign-out", "Sign out all browsers first"],
      NO_OPEN,
    ],
    groups: { "Index:": INDEX_OR_HUB },
  },
  mcp: {
    group: "Integrate",
    description: "Serve agents over MCP (stdio or HTTP)",
    options: [
      ["--http", "Serve over HTTP on localhost instead of stdio, and print the URL and token"],
      ["--port <n>", "With --http: port to listen on (default: any free port)", { max: 65_535 }],
    ],
    groups: { "Index:": INDEX_OR_HUB },
  },
  list: {
    group: "Find",
    aliases: ["ls"],
    description: "List sessions, newest first",
    options: [
      [
        "--sort <key>",
        "Sort by this key (default: modified)",
        { choices: ["modified", "created", "messages", "cost", "name", "size"] },
      ],
      ["--oldest", "Reverse the order: oldest or smallest first"],
      ["-n, --limit <n>", "Maximum number of sessions", { default: 50, env: "PIDEX_LIMIT" }],
      ["--all", "Show all sessions", { conflicts: ["cursor", "limit"] }],
      CURSOR,
      ["--text", "With --json or --ndjson: include allMessagesText"],
      ...SHAPE,
      NO_PAGER,
    ],
    groups: { "Filters:": filters({ archived: "no" }), ...LISTS_OR_HUB },
    help: LIST_HELP,
  },
  search: {
    group: "Find",
    aliases: ["grep"],
    description: "Search messages, tool calls and output",
    args: { "[query...]": 'Words, "a phrase", prefix*, a OR b, role:user' },
    options: [
      ["--role <role>", "Show only this role: user, assistant, toolResult, …"],
      ["--sort <order>", "Sort by this key (default: relevance)", { choices: RANKINGS }],
      ["--flat", "List hits without grouping them by session"],
      ["--exact", "Rank every hit of common words, not only the newest"],
      ["--strict", "Show only sessions that match every term"],
      ["--facets", "Show hit counts by project, model, tag, role, tool and month"],
      ["-n, --limit <n>", "Maximum number of results, up to 1000 (default: 10)"],
      ["--hits <n>", "Hits per session, up to 1000 (default: 3)", { max: 1000 }],
      CURSOR,
      ["--substring <text>", "Search the files for this exact text", { conflicts: SCANNED }],
      [
        "--regex <re2>",
        "Search the files for a regular expression (RE2)",
        { conflicts: [...SCANNED, "substring"] },
      ],
      ["--case-sensitive", "With --substring or --regex: match case"],
      ["--no-case-sensitive", "With --substring or --regex: ignore case", { isPaired: true }],
      ...SHAPE,
      NO_PAGER,
    ],
    groups: { "Filters:": filters(), ...LISTS_OR_HUB },
    help: SEARCH_HELP,
    errorHint:
      "Run pidex search --help for usage. Put -- before a query that contains a dash: pidex search -- tax -blog",
  },
  files: {
    group: "Find",
    description: "Find sessions by the files they touched",
    args: { "<pattern>": "A path, the end of a path (tax.ts), a folder (src/) or a glob ('*.py')" },
    options: [
      [
        "--action <list>",
        "Show only these actions, comma-separated",
        { choices: ["read", "write", "edit", "delete", "search", "use"], repeats: true },
      ],
      ["-n, --limit <n>", "Maximum number of sessions, up to 1000", { max: 1000, default: 10 }],
      ["--touches <n>", "Maximum number of touches per session", { default: 5 }],
      CURSOR,
      NO_PAGER,
    ],
    groups: { "Filters:": filters({ subagents: "yes" }), ...LISTS_OR_HUB },
  },
  blame: {
    group: "Find",
    description: "Show which session wrote each line of a file",
    args: { "<file>": "File in a git working tree, FILE:LINE or FILE:FROM-TO" },
    options: [
      ["--rev <rev>", "Show the file in this commit, branch or tag instead of the working tree"],
      CERTAIN,
      NO_PAGER,
    ],
    groups: ANSWERS,
    help: CONFIDENCE_HELP,
  },
  commit: {
    group: "Find",
    description: "Show the sessions behind git commits, and what they cost",
    args: { "[commit]": "Commit, branch or tag (default: HEAD), or a range: A..B" },
    options: [
      ["--all", "Show the commit and all commits before it"],
      [
        "--session <session>",
        "Show the commits on any branch that contain edits of this session",
        { conflicts: ["all", "uncommitted"] },
      ],
      ["--uncommitted", "Show files with lines of sessions that are in no commit", { conflicts: ["all"] }],
      ["-n, --limit <n>", "Maximum number of commits, newest first", { max: 100_000, default: 1000 }],
      CERTAIN,
      NO_PAGER,
    ],
    groups: ANSWERS,
    help: CONFIDENCE_HELP,
  },
  show: {
    group: "Read",
    aliases: ["cat"],
    description: "Print a session or one of its entries",
    args: { "<session>": SESSION_OR_LOCATION, "[entry]": "Entry id" },
    options: [
      ["--all", "Show all entries in file order instead of the current branch"],
      ["--leaf <entry>", "Show only the branch that ends at this entry"],
      ["-n, --tail <n>", "Show only the last n entries", { conflicts: ["context"] }],
      ["--full", "Include thinking, full tool output and extension data"],
      ["--context", "Print the messages as the model sees them"],
      ["--redact", "Mask likely secrets"],
      ["--no-redact", "With --export: do not mask likely secrets"],
      ["--export <file>", "Write to a new private file, with likely secrets masked"],
      ["--force", "With --export: overwrite an existing file"],
      NO_PAGER,
    ],
    groups: ANSWERS_OR_HUB,
  },
  handoff: {
    group: "Read",
    description: "Print a cited brief of a session for a new one",
    args: { "<session>": SESSION_OR_LOCATION },
    options: [
      ["--tokens <n>", "Maximum length in tokens, from 400 (default: 4000)", { max: 50_000 }],
      ["--leaf <entry>", "Brief on the branch that ends at this entry"],
      ["--no-redact", "Do not mask likely secrets"],
    ],
    groups: {
      "Index:": SYNCED_OR_HUB,
      "Output:": [["--json", "Print one JSON object"]],
    },
  },
  export: {
    group: "Read",
    description: "Export sessions to HTML, Markdown or JSONL",
    args: { "[session]": SESSION_OR_LOCATION },
    options: [
      [
        "--all",
        "Export all entries in file order instead of the current branch",
        { conflicts: ["leaf", "search"] },
      ],
      ["--leaf <entry>", "Export only the branch that ends at this entry", { conflicts: ["search"] }],
      ["--search <query>", "Export matching sessions, with each hit and its context"],
      [
        "--format <format>",
        "Output format (default: from the file extension, else html)",
        { choices: ["html", "md", "jsonl"] },
      ],
      ["-o, --output <file>", "Write to a new private file; - for stdout"],
      ["--images <whether>", "Include images (default: yes, in Markdown no)", { choices: ["yes", "no"] }],
      ["--no-redact", "Do not mask likely secrets"],
      ["--force", "Overwrite an existing file"],
      ["--role <role>", "With --search: only entries with this role"],
      ["--sort <key>", "With --search: sort by this key (default: relevance)", { choices: RANKINGS }],
      ["--strict", "With --search: only sessions that match every term"],
      ["-n, --limit <n>", "With --search: maximum number of sessions (default: all)"],
    ],
    groups: { "Filters:": filters(), "Index:": SYNCED },
  },
  tree: {
    group: "Read",
    description: "Show the branches and labels of a session",
    args: { "<session>": SESSION_OR_LOCATION },
    options: [
      ["--all", "Show every entry, including tool calls and output"],
      ["-n, --tail <n>", "Show only the last n lines", { conflicts: ["json", "ndjson"] }],
      NO_PAGER,
    ],
    groups: ANSWERS_OR_HUB,
  },
  labels: {
    group: "Read",
    description: "List labeled entries, newest first",
    args: { "[session]": SESSION },
    options: [["-n, --limit <n>", "Maximum number of labels (default: all)"], NO_PAGER],
    groups: { "Filters:": PERIOD, ...LISTS_OR_HUB },
  },
  tags: {
    group: "Read",
    description: "List tags and how many sessions have them",
    options: [["-n, --limit <n>", "Maximum number of tags (default: all)"], NO_PAGER],
    groups: LISTS_OR_HUB,
  },
  stats: {
    group: "Costs",
    description: "Show totals of sessions, messages, tokens and cost",
    options: [["--problems", "List problems found in session files instead"], NO_PAGER],
    groups: ANSWERS_OR_HUB,
  },
  usage: {
    group: "Costs",
    description: "Show token usage and cost",
    args: {
      "[dimension]": [
        "What to break usage down by, or a time range; weekly has a row for each week, week is this week (default: daily, of the last 30 days)",
        [...DIMENSION_NAMES, ...RANGE_NAMES],
        [...DIMENSION_ALIASES, ...RANGE_ALIASES],
      ],
    },
    options: [
      [
        "--by <dimension>",
        "Break down by this dimension; repeat or separate with a comma for two",
        { choices: DIMENSION_NAMES, aliases: DIMENSION_ALIASES, repeats: true },
      ],
      ["-n, --limit <n>", "Maximum number of rows: the costliest, or the newest periods"],
      ["--running", "Add a running total to each period"],
      ESTIMATES,
      ["--budget <amount>", "Compare with a budget: 200/month, 10/day"],
      ZONE,
      WEEK_START,
      [
        "--explain",
        "List the billable events behind the numbers",
        { conflicts: ["limit", "running", "budget", "chart", "estimates"] },
      ],
      NO_PAGER,
    ],
    groups: {
      "Filters:": [
        ...PERIOD,
        ...FOLDER,
        ["--session <session>", "Show only this session and its subagents"],
        ["--machine <name>", "With --hub: show only sessions of this machine"],
        ["--person <name>", "With --hub: show only sessions of this person"],
        ["--model <name>", "Show only models whose name contains this"],
        ["--provider <name>", "Show only this provider"],
        ["--kind <kind>", "Show only this kind: assistant, tool, subagent, compaction, branch_summary, …"],
        ["--agent <name>", "Show only this subagent"],
        ["--tool <name>", "Show only calls and results of this tool"],
        [
          "--branch <which>",
          "Show only current or only abandoned branches",
          { choices: ["current", "abandoned"] },
        ],
        [
          "--subagents <which>",
          "Include the cost of subagents (default: yes)",
          { choices: ["yes", "no", "only"] },
        ],
      ],
      "Index:": SYNCED_OR_HUB,
      "Output:": [
        ...OUTPUT_WITH_FIELDS_AND_CSV,
        [
          "--chart [kind]",
          "Draw a chart",
          {
            choices: ["bars", "spark", "calendar"],
            conflicts: ["running", "json", "ndjson", "csv"],
          },
        ],
      ],
    },
  },
  insights: {
    group: "Costs",
    description: "Show where work stalls and what changed",
    options: [
      ["-n, --limit <n>", "Maximum number of findings (default: 10)"],
      [
        "--kind <kind>",
        "Show only findings of this kind; repeat for more",
        { choices: INSIGHT_KINDS, repeats: true },
      ],
      ["--examples <n>", "Maximum number of sessions of each finding (default: 3)", { max: 1000 }],
      ["--min-occurrences <n>", "Omit findings with fewer occurrences (default: 3)"],
      ["--min-sessions <n>", "Omit findings in fewer sessions (default: 2)"],
      ["--time-zone <zone>", "Time zone of hours and weekdays: Europe/Berlin (default: yours)"],
      ["--explain", "Also say how findings are counted"],
      NO_PAGER,
    ],
    groups: {
      "Filters:": [
        [
          "--since <time>",
          "Start of the period: 7d, last month, 2026-01-31 (default: 30 days before its end)",
        ],
        ["--until <time>", "End of the period, exclusive (default: now)"],
        ...FOLDER,
        ["--machine <name>", "With --hub: show only sessions of this machine"],
        ["--person <name>", "With --hub: show only sessions of this person"],
      ],
      "Index:": SYNCED_OR_HUB,
      "Output:": [...OUTPUT, ["--markdown", "Print a Markdown report", { conflicts: ["json", "ndjson"] }]],
    },
  },
  spend: {
    group: "Costs",
    description: "Show what one session cost",
    args: { "<session>": SESSION_OR_LOCATION },
    options: [
      ["--explain", "List the billable events behind the numbers", { conflicts: ["estimates"] }],
      ["--time-zone <zone>", "With --explain: time zone of the times (default: yours)"],
      ESTIMATES,
      NO_PAGER,
    ],
    groups: { "Index:": SYNCED_OR_HUB, "Output:": OUTPUT_WITH_CSV },
  },
  budget: {
    group: "Costs",
    description: "Show budgets and what is left of them",
    args: {
      "[budget...]": "Budgets such as 200/month or '50/month project:shop' (default: those of the settings)",
    },
    options: [
      ["--warn-at <percent>", "Exit with 5 if this share of a budget is spent: 80%"],
      ["--estimates", "Count estimates of what has no recorded cost (default: $PIDEX_COUNT_ESTIMATES)"],
      ["--no-estimates", "Count recorded costs only", { isPaired: true }],
      ZONE,
      WEEK_START,
    ],
    groups: ANSWERS_OR_HUB,
    help: BUDGET_HELP,
  },
  status: {
    group: "Costs",
    description: "Print a line of costs for status bars",
    options: [
      ["--format <template>", "Print this: '{today} today, {month} month{stale}'"],
      ["--session <session>", "Session of {session} (default: the newest of the current folder)"],
      ["--sync", "Update the index first, which may take longer"],
      ["--estimates", "Count estimates of what has no recorded cost (default: $PIDEX_COUNT_ESTIMATES)"],
      ["--no-estimates", "Count recorded costs only", { isPaired: true }],
    ],
    groups: { "Index:": INDEX, "Output:": [["--json", "Print one JSON object", { conflicts: ["format"] }]] },
    help: STATUS_HELP,
  },
  prices: {
    group: "Costs",
    description: "List the prices that estimates use",
    args: { "[model]": "Show the price of this model: claude-opus-5, openai/gpt-5" },
    options: [["--at <date>", "With a model: the price on this day (default: now)"], NO_PAGER],
    groups: { "Output:": OUTPUT },
  },
  sql: {
    group: "Costs",
    description: "Run a read-only SQL query",
    args: { "[sql]": "SQL to run; reads stdin if omitted or -" },
    options: [
      ["--schema", "List the views and their columns instead"],
      ["--timeout <seconds>", "Time limit", { default: 10 }],
      ["-n, --limit <n>", "Maximum number of rows (default: 1000 on a terminal)"],
    ],
    groups: { "Index:": SYNCED, "Output:": OUTPUT_WITH_CSV },
  },
  resume: {
    group: "Read",
    description: "Print the command that resumes a session",
    args: { "<session>": SESSION_OR_LOCATION },
    options: [
      ["--run", "Run the command instead of printing it"],
      ["--agent <command>", "Agent to run: pi, atomic, … (default: the agent of the session)"],
    ],
    groups: ANSWERS,
  },
  ...WRITE_COMMANDS,
  ...HUB_COMMANDS,
  watch: {
    group: "Maintain",
    description: "Keep the index up to date",
    options: [
      ["--poll", "Poll for changes, for network drives without change events"],
      ["--interval <seconds>", "Check all files for changes this often, in seconds", { default: 60 }],
      ["-q, --quiet", "Print nothing about indexed files"],
      ["--notify", "Notify when 80 % and 100 % of a budget are spent (default: $PIDEX_NOTIFY)"],
      ["--no-notify", "Show no notifications", { isPaired: true }],
    ],
    groups: { "Index:": INDEX, "Output:": OUTPUT },
  },
  ...TRANSFER_COMMANDS,
  verify: {
    group: "Maintain",
    description: "Compare the index with the session files",
    options: [["--repair", "Rebuild the index if it differs"]],
    groups: ANSWERS,
  },
  doctor: {
    group: "Maintain",
    description: "Diagnose problems and suggest fixes",
    groups: { "Index:": INDEX, "Output:": OUTPUT },
  },
  rebuild: {
    group: "Maintain",
    description: "Rebuild the index from the session files",
    groups: { "Index:": INDEX, "Output:": OUTPUT },
  },
  secrets: {
    group: "Maintain",
    description: "Find likely secrets in sessions",
    args: { "[session...]": "Search only these sessions: path, id, id prefix, or @last" },
    options: [
      ["--kind <kind>", "Show only secrets of this kind, as named in the output"],
      ["-n, --limit <n>", "Maximum number of findings"],
    ],
    groups: ANSWERS,
  },
  config: {
    group: "Maintain",
    description: "Show or change settings",
    args: {
      "[action]": [
        "Setting to show (lists all if omitted), or an action",
        ["list", "get", "set", "unset", "edit", "path"],
        "others",
      ],
      "[key]": "Name of a setting",
      "[value...]": "New value, or several for a list",
    },
    groups: { "Output:": OUTPUT },
  },
  completions: {
    group: "Integrate",
    description: "Print a shell completion script",
    errorHint:
      'In ~/.bashrc: eval "$(pidex completions bash)"; in ~/.zshrc the same with zsh; in config.fish: pidex completions fish | source. Run pidex completions --help for usage.',
    args: { "<shell>": ["Shell name", ["bash", "zsh", "fish"]] },
    options: [
      ["--widget", "Print a script that binds the picker to Ctrl+X S instead"],
      ["--values <kind>", "Print values for the script", { choices: VALUE_KINDS, hidden: true }],
      ["--prefix <text>", "With --values: the beginning of the value", { hidden: true }],
      ["--session <text>", "With --values entries: the session", { hidden: true }],
    ],
  },
} as const satisfies Record<string, CommandDefinition>;

export type CommandName = keyof typeof COMMANDS;

/** The values of a command's options. */
export type Flags<Name extends CommandName> = FlagsOf<(typeof COMMANDS)[Name]>;
