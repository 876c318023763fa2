import { TERMINAL_SEQUENCES } from "../terminal-sequences.ts";
import { removeInsertedBlocks } from "./inserted-blocks.ts";
import {
  findDeclaredName,
  findErrorLine,
  findWrittenParagraphs,
  hasFence,
  removeFenceLines,
  removeFences,
} from "./pasted-text.ts";
import { findRequest, trimSentence } from "./sentences.ts";
import { type Specificity, toSpecificity } from "./specificity.ts";

/** What a message of the user asks for, as a title. */
export interface Request {
  text: string;
  specificity: Specificity;
}

/** A slash command, with its arguments: `/model`, `/compact keep the tests`; not a path such as `/home/ada/tax.ts`. */
const COMMAND = /^\s*\/[a-z][\w:.-]*(?=\s|$)/i;

/** Characters that are looked at, of the beginning and of the end: pasted logs have megabytes. */
const HEAD = 8_000;
const TAIL = 4_000;

/** Inserted skills and files that are named. */
const MAX_INSERTED = 3;

/** Extracts what a message asks for; undefined if it has no text. Takes time proportional to the message, up to a limit. */
export function extractRequest(message: string): Request | undefined {
  const sample =
    message.length > HEAD + TAIL ? `${message.slice(0, HEAD)}\n\n${message.slice(-TAIL)}` : message;
  if (sample.trim() === "") return undefined;
  if (COMMAND.test(sample)) return toRequest(sample.trim(), "vague");
  const { text, inserted } = removeInsertedBlocks(sample.replaceAll("\r\n", "\n"));
  const prose = removeFences(text);
  const specific = findInSections(prose) ?? findInProse(prose) ?? findInPaste(text);
  if (specific !== undefined) return toRequest(nameFiles(specific, prose), "specific");
  const rest = trimSentence(prose.replace(HEADING_LINES, ""));
  if (rest !== "" && toSpecificity(rest) === "vague") return toRequest(rest, "vague");
  if (inserted.length > 0) return toRequest(inserted.slice(0, MAX_INSERTED).join(", "), "vague");
  return toRequest(sample, "greeting");
}

/** Adds the files that a message mentions to a request that ends in "this". */
function nameFiles(request: string, prose: string): string {
  if (!/\b(?:this|that|it|them|these|those)\W*$/i.test(request)) return request;
  const files = [...prose.matchAll(MENTIONED_FILE)].map(([, path = ""]) => path.replace(/^.*[\\/]/, ""));
  const named = [...new Set(files)].slice(0, MAX_INSERTED).filter((name) => !request.includes(name));
  return named.length > 0 ? `${request.replace(/\.$/, "")} · ${named.join(", ")}` : request;
}

const MENTIONED_FILE = /(?:^|\s)@([\w./\\-]{1,300}\.\w+)/g;

const HEADING = /^#{1,6}[ \t]+(.*\S)/;
const HEADING_LINES = /^#{1,6}[ \t].*$/gm;
/** Headings of the section that says what to do. */
const TASK =
  /^(?:\W|\d)*(?:(?:your|the|current|next|my) )?(?:tasks?|request|next steps?|what to do(?: next)?|to ?do|assignment|aufgabe|任务|タスク)\W*$/i;
/** Headings of what surrounds a request. */
const CONTEXT =
  /\b(?:agents|claude)\.md\b|\b(?:context|handoff|hand-off|background|summary|session|overview|introduction|instructions|prompt|notes)\b/i;

/** The request in a text with headings: its section about the task, or its title. */
function findInSections(text: string): string | undefined {
  const lines = text.split("\n");
  const headings = lines.map((line) => HEADING.exec(line)?.[1]);
  const task = headings.findIndex((heading) => heading !== undefined && TASK.test(heading));
  if (task >= 0) {
    const next = headings.findIndex((heading, n) => n > task && heading !== undefined);
    const section = lines.slice(task + 1, next < 0 ? undefined : next).join("\n");
    const found = findRequest(findWrittenParagraphs(section).before);
    if (found !== undefined) return found;
  }
  const first = headings.findIndex((heading) => heading !== undefined);
  const heading = headings[first];
  if (heading === undefined || CONTEXT.test(heading)) return undefined;
  const title = trimSentence(heading);
  const isFirst = findInProse(lines.slice(0, first).join("\n")) === undefined;
  return isFirst && toSpecificity(title) === "specific" ? title : undefined;
}

/** The request in what the user wrote before or after a pasted text. */
function findInProse(text: string): string | undefined {
  const { before, after } = findWrittenParagraphs(text.replace(HEADING_LINES, "\n"));
  return findRequest(before) ?? findRequest(after.slice(-1)) ?? findRequest(after);
}

/** The error in a pasted text, else its first line, else the name of what its code declares. */
function findInPaste(text: string): string | undefined {
  const withoutHeadings = text.replace(HEADING_LINES, "");
  if (!hasFence(text) && !findWrittenParagraphs(withoutHeadings).hasPaste) return undefined;
  const error = findErrorLine(withoutHeadings);
  if (error !== undefined) return trimSentence(error);
  const lines = removeFenceLines(withoutHeadings).split("\n");
  const first = trimSentence(lines.find((line) => /\p{L}/u.test(line)) ?? "").replace(/\s*\{$/, "");
  return toSpecificity(first) === "specific" ? first : findDeclaredName(text);
}

function toRequest(text: string, specificity: Specificity): Request {
  const words = text.replace(TERMINAL_SEQUENCES, " ").replace(UNPRINTABLE, " ");
  const printable = words.replace(BACKTICK, "$1 ").replaceAll("`", "");
  return { text: cutTitle(printable.replace(/\s+/g, " ").trim()), specificity };
}

/** Words on both sides stay apart: joined, a secret would not be recognized as one. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/gu;
const BACKTICK = /([\p{L}\p{N}_-])`+(?=[\p{L}\p{N}_-])/gu;

/** Columns of a title. */
const MAX_COLUMNS = 100;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;

/** Cuts a text to the columns of a title, after a word if there are spaces. */
function cutTitle(text: string): string {
  let columns = 0;
  let end = 0;
  for (const character of text) {
    columns += WIDE.test(character) ? 2 : 1;
    if (columns > MAX_COLUMNS) break;
    end += character.length;
  }
  if (end === text.length) return text;
  const cut = text.slice(0, end - 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > cut.length / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:–—-]+$/, "").replace(/[\ud800-\udbff]$/, "")}…`;
}
