import type { Message } from "../entries.ts";
import { extractContentText } from "../text.ts";
import { describeFiles } from "./describe-files.ts";
import { extractRequest } from "./extract-request.ts";

/** What a title depends on in the entries read so far. Serializable. */
export interface TitleState {
  text: string;
  rank: number;
  /** The files changed since a vague request. */
  files: string[];
  /** Whether later requests don't change the text and the files. */
  isSettled: boolean;
  /** How the last response ended, as long as none has been completed. */
  outcome?: "aborted" | "failed";
  isAnswered: boolean;
}

/** What a text comes from; a later one of a higher rank replaces it. */
const RANKS = { none: 0, greeting: 1, command: 2, vague: 3, specific: 4 } as const;

/** Files of a vague request that are counted. */
const MAX_FILES = 100;
/** Commands that are listed in the title of a session without messages. */
const MAX_COMMANDS = 3;

export function createTitleState(): TitleState {
  return { text: "", rank: RANKS.none, files: [], isSettled: false, isAnswered: false };
}

/** Whether further entries leave the title as it is. */
export function isFinal({ isSettled, isAnswered }: TitleState): boolean {
  return isSettled && isAnswered;
}

/** Adds a message. @param changedFiles the paths of the files it changes; called only if they matter */
export function addMessage(state: TitleState, message: Message, changedFiles: () => readonly string[]): void {
  if (message.role === "user") addRequest(state, message);
  else if (message.role === "bashExecution") addCommand(state, message.command ?? "");
  else {
    if (message.role === "assistant") addResponse(state, message.stopReason);
    addFiles(state, changedFiles);
  }
}

function addRequest(
  state: TitleState,
  { content }: { content?: Parameters<typeof extractContentText>[0] },
): void {
  if (state.isSettled) return;
  const request = extractRequest(extractContentText(content, "\n\n")) ?? toImageRequest(content);
  if (!request) return;
  const rank = RANKS[request.specificity];
  const isSpecific = rank === RANKS.specific;
  if (isSpecific) state.isSettled = true;
  // After changes, a specific request is a further one: the session is about the first.
  if (rank <= state.rank || (isSpecific && state.files.length > 0)) return;
  state.text = request.text;
  state.rank = rank;
}

function toImageRequest(content: Parameters<typeof extractContentText>[0]) {
  const isImage = Array.isArray(content) && content.some(({ type }) => type === "image");
  return isImage ? ({ text: "image", specificity: "vague" } as const) : undefined;
}

function addCommand(state: TitleState, command: string): void {
  if (state.isSettled || state.rank > RANKS.command) return;
  const known = state.rank === RANKS.command ? state.text.split(", ") : [];
  const added = `!${command.split("\n", 1)[0]?.trim().slice(0, 60)}`;
  if (known.length >= MAX_COMMANDS || known.includes(added) || added === "!") return;
  state.text = [...known, added].join(", ");
  state.rank = RANKS.command;
}

function addResponse(state: TitleState, stopReason: string | undefined): void {
  if (state.isAnswered) return;
  delete state.outcome;
  if (stopReason === "aborted") state.outcome = "aborted";
  else if (stopReason === "error") state.outcome = "failed";
  else if (stopReason !== "toolUse") state.isAnswered = true;
}

function addFiles(state: TitleState, changedFiles: () => readonly string[]): void {
  if (state.isSettled || state.rank === RANKS.none) return;
  for (const path of changedFiles())
    if (state.files.length < MAX_FILES && !state.files.includes(path)) state.files.push(path);
}

/** The title; undefined if the session says nothing. */
export function toTitle({ text, rank, files, outcome }: TitleState, cwd: string): string | undefined {
  const isVague = rank !== RANKS.specific && files.length > 0;
  const added = [
    isVague ? describeFiles(files, cwd, files.length >= MAX_FILES) : "",
    outcome && rank !== RANKS.none ? OUTCOMES[outcome] : "",
  ].filter(Boolean);
  if (added.length === 0) return text || undefined;
  const start = rank === RANKS.greeting && isVague ? [] : [text.replace(/[.!。]+$/, "")];
  return [...start, ...added].join(SEPARATOR);
}

/** A title without how the session ended, which later messages would change. */
export function removeOutcome(title: string): string {
  const outcome = Object.values(OUTCOMES).find((each) => title.endsWith(SEPARATOR + each));
  return outcome === undefined ? title : title.slice(0, -(SEPARATOR + outcome).length);
}

const SEPARATOR = " · ";
const OUTCOMES = { aborted: "aborted", failed: "ended in an error" };
