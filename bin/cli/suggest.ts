/** Suggestions for mistyped commands and options, and for the words of other programs. */
import { findNearestWord } from "../../library/internal.ts";

/** Commands by what other programs call them. */
const COMMAND_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  show: ["less", "more", "view", "read", "print", "transcript"],
  list: ["dir", "ll", "ps", "log", "history", "sessions"],
  search: ["find", "query", "ask", "rg", "ag"],
  move: ["cd", "relocate"],
  delete: ["remove", "del", "unlink"],
  restore: ["undelete", "undo", "recover"],
  "usage or spend": ["cost", "costs", "price", "money", "tokens", "bill"],
  name: ["rename", "title"],
  fork: ["cp", "copy", "clone", "duplicate"],
  index: ["sync", "update", "refresh", "scan"],
  rebuild: ["reindex", "reset"],
  resume: ["continue", "run", "open", "attach"],
  pick: ["fzf", "tui", "ui", "browse", "select"],
  serve: ["web", "server", "page", "http"],
  doctor: ["check", "diagnose", "health", "status"],
  "pin --off": ["unpin"],
  "archive --off": ["unarchive"],
  "tag --remove": ["untag"],
  "hub join": ["login", "join"],
  "hub leave": ["logout", "leave"],
  completions: ["completion"],
  sql: ["select", "sqlite"],
  "--version": ["version"],
};

/** Options by what other programs call them. */
const OPTION_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  "--limit": ["--max", "--max-count", "--count", "--top", "--number", "--head"],
  "--tail": ["--limit", "--last", "--lines"],
  "--since": ["--after", "--from", "--start"],
  "--until": ["--before", "--to", "--end"],
  "--cwd": ["--dir", "--folder", "--directory", "--path"],
  "--csv": ["--header", "--headers", "--tsv"],
  "--oldest": ["--reverse", "--asc"],
  "--output": ["--out", "--file"],
  "--yes": ["--no-confirm", "--confirm"],
  "--off": ["--undo", "--unset"],
  "--permanent": ["--purge"],
  "--no-sync": ["--offline"],
  "--subagents": ["--include-subagents", "--agents"],
  "--project": ["--repo"],
  "--regex": ["--regexp", "--pattern"],
  "--substring": ["--fixed-strings", "--literal"],
  "--sort": ["--order", "--order-by", "--sort-by"],
};

/** Values of options by what other programs call them. */
const VALUE_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  modified: ["date", "time", "updated", "recent", "latest", "newest", "activity"],
  newest: ["date", "time", "recent", "latest", "modified", "updated"],
  created: ["started", "start"],
  oldest: ["first", "earliest"],
  cost: ["price", "spend", "money", "costusd"],
  messages: ["length", "turns", "count"],
  size: ["bytes"],
  name: ["title"],
  relevance: ["rank", "score", "best"],
  md: ["markdown"],
  jsonl: ["json", "ndjson"],
  yes: ["true", "on", "include", "all"],
  no: ["false", "off", "exclude", "none"],
  daily: ["days", "date"],
  weekly: ["weeks"],
  monthly: ["months"],
  hourly: ["hours"],
  project: ["folder", "cwd", "repo"],
  person: ["people", "user", "member"],
};

/** The command that a word probably means: a known synonym, else a command with nearly the same name. */
export function suggestCommand(word: string, names: readonly string[]): string | undefined {
  return findSynonym(COMMAND_SYNONYMS, word.toLowerCase()) ?? findNearestWord(word, names);
}

/** The option of a command that a mistyped one probably means. */
export function suggestOption(flag: string, flags: readonly string[]): string | undefined {
  const synonym = findSynonym(OPTION_SYNONYMS, flag.toLowerCase(), flags);
  if (synonym !== undefined) return synonym;
  if (!flag.startsWith("--")) return undefined;
  const name = findNearestWord(
    flag.slice(2),
    flags.map((each) => each.slice(2)),
  );
  return name && `--${name}`;
}

/** The choice that a mistyped value probably means: a known or nearly spelled synonym counts as its choice. */
export function suggestValue(value: string, choices: readonly string[]): string | undefined {
  const known = findSynonym(VALUE_SYNONYMS, value.toLowerCase(), choices) ?? findNearestWord(value, choices);
  if (known !== undefined) return known;
  const synonyms = choices.flatMap((choice) => VALUE_SYNONYMS[choice] ?? []);
  const near = findNearestWord(value, synonyms);
  return near && findSynonym(VALUE_SYNONYMS, near, choices);
}

function findSynonym(
  table: Readonly<Record<string, readonly string[]>>,
  word: string,
  names: readonly string[] = Object.keys(table),
): string | undefined {
  return Object.keys(table).find((name) => names.includes(name) && table[name]?.includes(word));
}
