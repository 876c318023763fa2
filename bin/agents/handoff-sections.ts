/** The sections of a brief besides its requests: files, commands, errors, what was undone and what is open. */
import { formatCount, formatInteger } from "../format/safe.ts";
import type { CommandForm, SolvedError } from "./facts/command-log.ts";
import type { ChangedFile } from "./facts/file-changes.ts";
import type { SessionFacts } from "./facts/session-facts.ts";
import type { Statement } from "./facts/statements.ts";
import { type BriefLine, CITATION_TOKENS } from "./handoff-dialogue.ts";
import { estimateTokens } from "./tokens.ts";

/** Statements of a section, the most important first, and what says how many were left out. */
export interface Section {
  title: string;
  statements: SectionStatement[];
  /** Whether they are shown by line instead of importance. */
  isChronological?: boolean;
  omitted: (count: number, left: readonly Statement[]) => string;
}

/** A statement that can be shortened. */
interface SectionStatement extends Statement {
  short?: string;
}

/** Names shown per file. */
const MAX_NAMES = 12;
/** The share of a section from which on statements are short. */
const DETAILED_SHARE = 0.65;
const MAX_TODOS = 6;
/** Files of which only the name is shown. */
const MAX_OTHER_FILES = 12;

export function listFiles({ files }: SessionFacts): Section {
  const weigh = ({ added, removed, edits, isCreated, names }: ChangedFile) =>
    added + removed + 5 * edits + (isCreated ? 120 : 0) + 4 * names.size;
  const ranked = files.files
    .filter((file) => !(file.isCreated && file.isDeleted))
    .sort((a, b) => weigh(b) - weigh(a));
  return {
    title: "Files",
    statements: ranked.map((file) => ({
      line: file.line,
      text: formatFile(file),
      short: formatFile(file, false),
    })),
    omitted: (count, left) => {
      const names = left
        .slice(0, MAX_OTHER_FILES)
        .map(({ text }) => /[^/\\\s]+(?= \(|$|:)/.exec(text)?.[0] ?? "");
      return `and ${formatCount(count, "more file")}: ${names.join(", ")}${count > MAX_OTHER_FILES ? ", …" : ""}`;
    },
  };
}

function formatFile(file: ChangedFile, isDetailed = true): string {
  const { path, isCreated, isDeleted, movedFrom, edits, added, removed, title, names } = file;
  if (isDeleted) return `deleted ${path}`;
  const counts = [
    added > 0 ? `+${formatInteger(added)}` : "",
    removed > 0 ? `−${formatInteger(removed)}` : "",
  ];
  const facts = [counts.filter(Boolean).join(" "), edits > 1 ? `${formatInteger(edits)} edits` : ""].filter(
    Boolean,
  );
  const what = movedFrom === undefined ? (isCreated ? "created" : "changed") : `moved from ${movedFrom}:`;
  if (!isDetailed) return `${what} ${path}`;
  const shown = [...names.keys()].slice(0, MAX_NAMES).join(", ");
  const details = [isCreated ? title : "", shown && `adds ${shown}`].filter(Boolean).join("; ");
  return `${what} ${path}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}${details && `: ${details}`}`;
}

export function listUndone({ files }: SessionFacts, abandoned: readonly Statement[]): Section {
  return {
    title: "Tried and undone",
    // The last ones first: what was undone late was meant to stay.
    statements: [...abandoned, ...dedupe(files.undone).reverse(), ...dedupe(files.removedNames).reverse()],
    isChronological: true,
    omitted: (count) => `and ${formatInteger(count)} more`,
  };
}

export function listCommands({ commands }: SessionFacts): Section {
  const working = commands.forms.filter(({ isAction, error }) => isAction && error === undefined);
  const weigh = ({ runs, line }: CommandForm) => Math.log2(1 + runs) * 1000 + line / 1000;
  return {
    title: "Commands that worked",
    statements: working
      .sort((a, b) => weigh(b) - weigh(a))
      .map(({ command, runs, line }) => ({
        line,
        text: `\`${command}\`${runs > 1 ? ` (×${formatInteger(runs)})` : ""}`,
      })),
    omitted: (count) => `and ${formatCount(count, "more command")}`,
  };
}

export function listErrors({ commands }: SessionFacts): Section {
  const weigh = ({ changed, solvedLine, error }: SolvedError) =>
    (changed.length > 0 ? 2 : 0) +
    (solvedLine === undefined ? 0 : 1) +
    (/error|exception|TS\d/i.test(error) ? 1 : 0);
  const seen = new Set<string>();
  const distinct = commands.errors.filter(({ error }) => {
    const key = error.replace(/[\d\W]+/g, " ").slice(0, 80);
    return seen.size < seen.add(key).size;
  });
  const ranked = distinct.toSorted((a, b) => weigh(b) - weigh(a));
  return {
    title: "Errors",
    statements: ranked.map((error) => ({ line: error.line, text: formatError(error) })),
    isChronological: true,
    omitted: (count) => `and ${formatCount(count, "more error")}`,
  };
}

function formatError({ command, error, changed, solvedLine }: SolvedError): string {
  const names = changed.map((path) => path.slice(path.search(/[^/\\]*$/))).join(", ");
  const solved =
    solvedLine === undefined ? "" : names === "" ? " → worked later" : ` → worked after changes to ${names}`;
  return `${command.slice(0, 60)}: ${error}${solved}`;
}

/** What is left, as far as the session says so. */
export function listOpen({ requests, commands, todos, files }: SessionFacts): Section {
  const statements: Statement[] = [];
  const last = requests.at(-1);
  if (last && last.text !== "" && (last.answerLine === undefined || last.isInterrupted))
    statements.push({
      line: last.line,
      text: last.isInterrupted ? "the last request was interrupted" : "the last request has no answer",
    });
  const lastLine = Math.max(0, ...commands.forms.map(({ line, errorLine = 0 }) => Math.max(line, errorLine)));
  for (const { error, errorLine, command, isAction } of commands.forms) {
    if (error === undefined || errorLine === undefined || !isAction || errorLine < lastLine * 0.8) continue;
    statements.push({ line: errorLine, text: `\`${command}\` failed last: ${error}` });
  }
  const deleted = new Set(files.files.flatMap(({ path, isDeleted }) => (isDeleted ? [path] : [])));
  const items = [...todos].filter(([, { path }]) => path === undefined || !deleted.has(path));
  for (const [text, { line }] of items.slice(0, MAX_TODOS)) statements.push({ line, text: `[ ] ${text}` });
  for (const request of requests.slice(-Math.max(4, Math.ceil(requests.length / 6))).reverse())
    for (const { text, line, from } of request.candidates)
      if (from !== "remark" && (OPEN.test(text) || (request === last && text.endsWith("?"))))
        statements.push({ line, text });
  return {
    title: "Open",
    statements: dedupe(statements),
    omitted: (count) => `and ${formatInteger(count)} more`,
  };
}

const OPEN =
  /\b(?:todo|remain(?:s|ing)|left to do|next:|still (?:need|fail|miss|open)|not (?:yet|implemented|tested)|next steps?|follow-up|untested|unresolved)\b/i;

function dedupe(statements: readonly Statement[]): Statement[] {
  return [...new Map(statements.map((statement) => [statement.text, statement])).values()];
}

/** As many statements as fit into the budget. @returns the lines, and the tokens they take */
export function fillSection(section: Section, budget: number): { lines: BriefLine[]; tokens: number } {
  const { statements, omitted, isChronological } = section;
  const taken: Statement[] = [];
  let tokens = 8; // title
  const isTaken = new Set<Statement>();
  for (const statement of statements) {
    const { line, text, short } = statement;
    const share = short === undefined ? 1 : DETAILED_SHARE;
    for (const [form, limit] of [
      [text, budget * share],
      [short, budget],
    ] as const) {
      if (form === undefined) continue;
      const cost = estimateTokens(form) + CITATION_TOKENS + 2;
      if (tokens + cost > limit) continue;
      taken.push({ line, text: form });
      isTaken.add(statement);
      tokens += cost;
      break;
    }
  }
  if (taken.length === 0) return { lines: [], tokens: 0 };
  const shown = isChronological ? taken.sort((a, b) => a.line - b.line) : taken;
  const lines: BriefLine[] = shown.map((statement) => ({ statements: [statement] }));
  const left = statements.filter((statement) => !isTaken.has(statement));
  if (left.length > 0) {
    const text = omitted(left.length, left);
    lines.push({ statements: [{ line: 0, text }] });
    tokens += estimateTokens(text) + 2;
  }
  return { lines, tokens };
}

/** The tokens that all statements of a section take. */
export function countDemand({ statements }: Section): number {
  if (statements.length === 0) return 0;
  return statements.reduce((sum, { text }) => sum + estimateTokens(text) + CITATION_TOKENS + 2, 8);
}
