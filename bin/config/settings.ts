/**
 * The settings of `config.toml` that apply to all commands, as data. Each has an environment variable, which takes precedence over the file
 * and under which commands, threads and other processes read it.
 */
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { isTimeZone, parseBudget } from "../../library/internal.ts";
import { isPruneAge, isPruneSize } from "../format/prune-limits.ts";
import { WEEKDAYS } from "../format/weekdays.ts";

/** A value in a TOML file: text, a number, a boolean or a list of texts. */
export type SettingValue = string | number | boolean | readonly string[];

interface Kind {
  /** What is accepted, for error messages: `a positive integer`. */
  expected: string;
  accepts: (value: unknown) => boolean;
  /** The value that words of the command line mean, which need not be valid. */
  fromWords: (words: readonly string[]) => SettingValue;
  /** The value as text of the environment variable; "" leaves it unset. */
  toText: (value: SettingValue) => string;
}

export interface Setting extends Kind {
  env: string;
  about: string;
  /** The default, for people. */
  standard: string;
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const joinWords = (words: readonly string[]): string => words.join(" ");

const text = (expected: string, accepts: (value: string) => boolean = () => true): Kind => ({
  expected,
  accepts: (value) => isText(value) && accepts(value),
  fromWords: joinWords,
  toText: String,
});

const count: Kind = {
  expected: "an integer from 1 to 999999",
  accepts: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 999_999,
  fromWords: ([word = ""]) => (/^\d+$/.test(word) ? Number(word) : word),
  toText: String,
};

const port: Kind = {
  ...count,
  expected: "a port from 1024 to 65535",
  accepts: (value) => Number.isInteger(value) && (value as number) >= 1024 && (value as number) <= 65_535,
};

const flag: Kind = {
  expected: "true or false",
  accepts: (value) => typeof value === "boolean",
  fromWords: ([word = ""]) => (word === "true" || word === "false" ? word === "true" : word),
  toText: (value) => (value === true ? "1" : ""),
};

const oneOf = (choices: readonly string[]): Kind =>
  text(`one of ${choices.join(", ")}`, (value) => choices.includes(value));

const list = (expected: string, separator: string, toItem = (item: string) => item): Kind => ({
  expected,
  accepts: (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  fromWords: (words) => words.flatMap((word) => word.split(separator)).filter((word) => word !== ""),
  toText: (value) =>
    [value]
      .flat()
      .map((item) => toItem(String(item)))
      .join(separator),
});

/** A path with the home folder in place of `~`, as a shell would pass it. */
function expandHome(path: string): string {
  return /^~([/\\]|$)/.test(path) ? join(process.env.HOME || homedir(), path.slice(1)) : path;
}

const BUDGET = /^\$?(?=.*[1-9])\d+(?:\.\d+)?\/(?:day|week|month|year)$/;

export const SETTINGS: Readonly<Record<string, Setting>> = {
  limit: { ...count, env: "PIDEX_LIMIT", about: "number of sessions that list shows", standard: "50" },
  columns: {
    ...list("a list of column names", ","),
    env: "PIDEX_COLUMNS",
    about: "columns of list on a terminal, as for --columns",
    standard: "those that fit",
  },
  budget: {
    ...text("dollars per day, week, month or year, such as 200/month", (value) => BUDGET.test(value.trim())),
    env: "PIDEX_BUDGET",
    about: "budget that usage compares with",
    standard: "none",
  },
  budgets: {
    ...list("a list of budgets, such as 10/day or 50/month project:shop", ";"),
    accepts: (value) =>
      [value].flat().every((item) => isText(item) && parseBudget(item) !== undefined) && value !== undefined,
    env: "PIDEX_BUDGETS",
    about: "further budgets, for budget, status and watch",
    standard: "none",
  },
  count_estimates: {
    ...flag,
    env: "PIDEX_COUNT_ESTIMATES",
    about: "whether budgets include estimates of what has no recorded cost",
    standard: "false",
  },
  status_format: {
    ...text("a template such as {today} · {month}"),
    env: "PIDEX_STATUS_FORMAT",
    about: "what status prints, as for --format",
    standard: "today and the budget",
  },
  pi_status: {
    ...flag,
    env: "PIDEX_PI_STATUS",
    about: "whether pi's footer shows what status prints",
    standard: "false",
  },
  notify: {
    ...flag,
    env: "PIDEX_NOTIFY",
    about: "whether watch notifies you when a budget is nearly or entirely used up",
    standard: "false",
  },
  notify_command: {
    ...text("a command"),
    env: "PIDEX_NOTIFY_COMMAND",
    about: "program that shows these notifications; it gets title and text as arguments",
    standard: "that of the system",
  },
  time_zone: {
    ...text("a time zone such as Europe/Berlin, or UTC", isTimeZone),
    env: "TZ",
    about: "time zone of dates and times",
    standard: "that of the system",
  },
  week_start: {
    ...oneOf(WEEKDAYS),
    env: "PIDEX_WEEK_START",
    about: "first day of the week",
    standard: "monday",
  },
  pager: {
    ...text("a command"),
    env: "PIDEX_PAGER",
    about: "program that shows long output",
    standard: "$PAGER, else less",
  },
  roots: {
    ...list("a list of folders", delimiter, expandHome),
    env: "PIDEX_ROOTS",
    about: "session folders",
    standard: "those of all agents",
  },
  exclude: {
    ...list("a list of folders", delimiter, expandHome),
    env: "PIDEX_EXCLUDE",
    about: "session folders to exclude, unless roots is set",
    standard: "none",
  },
  db: {
    ...text("a file"),
    toText: (value) => expandHome(String(value)),
    env: "PIDEX_DB",
    about: "index file",
    standard: "in your cache folder",
  },
  hub: {
    ...flag,
    env: "PIDEX_HUB",
    about: "whether commands that have --hub use the hub",
    standard: "false",
  },
  prune_compress_after: {
    ...text("an age of at least a day, such as 180d", isPruneAge),
    env: "PIDEX_PRUNE_COMPRESS_AFTER",
    about: "age at which prune --configured compresses sessions",
    standard: "never",
  },
  prune_trash_after: {
    ...text("an age of at least a day, such as 2y", isPruneAge),
    env: "PIDEX_PRUNE_TRASH_AFTER",
    about: "age at which prune --configured moves sessions to the trash",
    standard: "never",
  },
  prune_max_size: {
    ...text("a size with a unit, such as 20GB", isPruneSize),
    env: "PIDEX_PRUNE_MAX_SIZE",
    about: "size of all session files above which prune --configured moves the oldest to the trash",
    standard: "none",
  },
  page_port: {
    ...port,
    env: "PIDEX_PAGE_PORT",
    about: "port of the web page, if browsers stay signed in",
    standard: "7439",
  },
  stay_signed_in: {
    ...oneOf(["auto", "always", "never"]),
    env: "PIDEX_STAY_SIGNED_IN",
    about:
      "whether browsers stay signed in to the web page; auto: unless other people have home folders here",
    standard: "auto",
  },
};

/** The setting of a name; undefined if there is none. */
export function findSetting(name: string): Setting | undefined {
  return Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
}
