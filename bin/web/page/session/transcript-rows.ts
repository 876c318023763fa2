/** The rows of a transcript: messages, with consecutive messages of tool calls alone as one group that can be opened. */
import { type CallCounts, countCalls, isOnlyCalls } from "../../../format/call-counts.ts";
import { isHousekeeping } from "../../../format/entry-kinds.ts";
import type { BranchRows } from "./branch-rows.ts";
import { findLastAtMost } from "./session-tree.ts";

/** What a transcript shows. */
export const FILTERS = {
  all: "Everything",
  conversation: "Prompts and answers",
  prompts: "My prompts",
  edits: "Edits",
  errors: "Errors",
} as const;
export type Filter = keyof typeof FILTERS;

export function isFilter(text: string): text is Filter {
  return Object.hasOwn(FILTERS, text);
}

/** Consecutive messages, by their rows in the branch. */
export interface CallGroup {
  first: number;
  last: number;
}

interface Options {
  filter: Filter;
  /** Whether a group is open, by the key of its first message. */
  isOpen: (key: number, group: CallGroup) => boolean;
  /** Whether a message is shown by itself: it has a label, or something branches off it. */
  standsAlone: (message: number) => boolean;
}

export class TranscriptRows {
  readonly branch: BranchRows;
  readonly filter: Filter;
  /** The groups, in order. */
  readonly groups: readonly CallGroup[];
  /** The first message of each row; of an open group's heading, too. */
  readonly #message: number[] = [];
  /** The group that is a row; -1 for messages. */
  readonly #group: number[] = [];
  readonly #isOpen: readonly boolean[];
  /** The last prompt up to each row, as a message; -1 if there is none. */
  readonly #prompt: number[] = [];
  /** Whether a row is a message of an open group. */
  readonly #isGrouped: boolean[] = [];
  /** Whether rows are parts of answers, without the prompts between them. */
  readonly #hasNoPrompts: boolean;
  #lastPrompt = -1;

  constructor(branch: BranchRows, { filter, isOpen, standsAlone }: Options) {
    this.branch = branch;
    this.filter = filter;
    this.#hasNoPrompts = filter === "edits" || filter === "errors";
    this.groups = filter === "all" ? findGroups(branch, standsAlone) : [];
    this.#isOpen = this.groups.map((group) => isOpen(branch.key(group.first), group));
    let nextGroup = 0;
    let openUntil = -1;
    for (let message = 0; message < branch.count; message++) {
      const group = this.groups[nextGroup];
      if (branch.kind(message)?.role === "user") this.#lastPrompt = message;
      if (group?.first === message) {
        this.#add(message, nextGroup);
        if (!this.#isOpen[nextGroup]) message = group.last;
        else {
          openUntil = group.last;
          this.#add(message, -1, true);
        }
        nextGroup++;
      } else if (matches(branch, message, filter)) this.#add(message, -1, message <= openUntil);
    }
  }

  #add(message: number, group: number, isGrouped = false): void {
    this.#isGrouped.push(isGrouped);
    this.#message.push(message);
    this.#group.push(group);
    this.#prompt.push(this.#lastPrompt);
  }

  get count(): number {
    return this.#message.length;
  }

  /** The message of a row, or the first one of a group. */
  message(row: number): number {
    return this.#message[row] as number;
  }

  /** Whether a row is a message of an open group, below its heading. */
  isGrouped(row: number): boolean {
    return this.#isGrouped[row] === true;
  }

  /** The group that a row shows or heads. */
  group(row: number): (CallGroup & { isOpen: boolean }) | undefined {
    const number = this.#group[row] ?? -1;
    const group = this.groups[number];
    return group && { ...group, isOpen: this.#isOpen[number] === true };
  }

  /** The position of a row's first entry. */
  position(row: number): number {
    return this.branch.key(this.message(row));
  }

  /** A key that is the same on every branch, whichever groups are open. */
  key(row: number): number {
    const position = this.position(row);
    return (this.#group[row] ?? -1) < 0 ? position : -1 - position;
  }

  /** The row of a message, or of the closed group or the one before that it is in. */
  findRow(message: number): number {
    return Math.max(0, findLastAtMost(this.#message, message));
  }

  /** The row of a key, or of the closed group that its message is in; undefined if it is on another branch. */
  findKey(key: number): number | undefined {
    const message = this.branch.findRow(key < 0 ? -1 - key : key);
    if (message === undefined) return undefined;
    const row = this.findRow(message);
    return row > 0 && this.key(row - 1) === key ? row - 1 : row; // an open group is above its first message
  }

  /** The group that a message is in. */
  findGroup(message: number): CallGroup | undefined {
    return this.groups.find(({ first, last }) => first <= message && message <= last);
  }

  /** The prompt to show above a row, as a message: the one it belongs to, if a filter hides it and the row above belongs to another. */
  promptAbove(row: number): number | undefined {
    const prompt = this.#prompt[row] ?? -1;
    if (!this.#hasNoPrompts || prompt < 0 || prompt === this.message(row)) return undefined;
    return prompt === this.#prompt[row - 1] && row > 0 ? undefined : prompt;
  }

  /** Whether a message goes on with the answer of the row above it. */
  isContinued(row: number): boolean {
    const message = this.message(row);
    if (this.isGrouped(row)) return true; // its heading is that of the group
    if (row === 0 || message === 0) return false;
    const above = this.message(row - 1);
    if (this.#hasNoPrompts)
      return (
        this.#prompt[row] === this.#prompt[row - 1] &&
        isAnswer(this.branch, message) &&
        isAnswer(this.branch, above)
      );
    // With a filter, what was between them may be hidden, and with it the heading.
    if (this.filter !== "all" && above !== message - 1) return false;
    return isAnswer(this.branch, message) && isAnswer(this.branch, message - 1);
  }

  /** The number of displayed messages, also in closed groups, whose entry has this position or a later one. */
  countFrom(position: number): number {
    let count = 0;
    for (let row = this.count - 1; row >= 0; row--) {
      const group = this.group(row);
      if (group?.isOpen) continue; // its messages are rows
      const first = this.message(row);
      let message = group?.last ?? first;
      for (; message >= first && this.branch.key(message) >= position; message--) count++;
      if (message >= first) break;
    }
    return count;
  }

  /** The lines of the messages in a range of rows, extended to whole batches. */
  listBatchLines(first: number, last: number): number[] {
    const lines: number[] = [];
    for (let row = first; row <= last; row++) {
      const group = this.group(row);
      if (group) continue; // its summary needs no entries
      const message = this.message(row);
      let end = message;
      while (row < last && !this.group(row + 1) && this.message(row + 1) === end + 1)
        [row, end] = [row + 1, end + 1];
      lines.push(...this.branch.listBatchLines(message, end));
    }
    return [...new Set(lines)];
  }

  estimateHeight(row: number): number {
    if (this.group(row)) return this.isContinued(row) ? GROUP_HEIGHT : GROUP_HEIGHT + HEADING_HEIGHT;
    return this.branch.estimateHeight(this.message(row));
  }

  /** The row of the next (1) or previous (-1) entry from a row that is not a notice, such as a change of the model. */
  findEntry(from: number, by: 1 | -1): number | undefined {
    for (let row = from + by; row >= 0 && row < this.count; row += by) {
      const type = this.branch.kind(this.message(row))?.type ?? "";
      if (!isHousekeeping(type) && type !== "context_edit") return row;
    }
    return undefined;
  }

  /** The row of the next (1) or previous (-1) prompt from a row, or the one below it. */
  findPrompt(from: number, by: 1 | -1): number | undefined {
    for (let row = from + by; row >= 0 && row < this.count; row += by)
      if (this.branch.kind(this.message(row))?.role === "user" || this.promptAbove(row) !== undefined)
        return row;
    return undefined;
  }
}

const GROUP_HEIGHT = 44;
const HEADING_HEIGHT = 24;

/** Fewer messages of calls are shown one by one. */
const MIN_GROUP = 2;

function findGroups(branch: BranchRows, standsAlone: Options["standsAlone"]): CallGroup[] {
  const groups: CallGroup[] = [];
  let first = 0;
  for (let message = 0; message <= branch.count; message++) {
    if (message < branch.count && hasOnlyCalls(branch, message) && !standsAlone(message)) continue;
    if (message - first >= MIN_GROUP) groups.push({ first, last: message - 1 });
    first = message + 1;
  }
  return groups;
}

/** Whether a message has calls with results, and nothing else but thinking. */
function hasOnlyCalls(branch: BranchRows, message: number): boolean {
  return isOnlyCalls(branch.kind(message) ?? {}) && branch.positions(message).length > 1;
}

/** The number of messages that each filter shows. */
export function countByFilter(branch: BranchRows): ReadonlyMap<Filter, number> {
  const counts = new Map<Filter, number>();
  const filters = Object.keys(FILTERS).filter(isFilter);
  for (let message = 0; message < branch.count; message++)
    for (const filter of filters)
      if (matches(branch, message, filter)) counts.set(filter, (counts.get(filter) ?? 0) + 1);
  return counts;
}

function isAnswer(branch: BranchRows, message: number): boolean {
  return branch.kind(message)?.role === "assistant";
}

/** Tools that change files, of all agents. */
const EDITING = /edit|write|patch|create|replace/i;

/** Whether a filter shows an entry of a branch. Entries of other branches can be shown, too: by leaving this one. */
export function isShownBy(filter: Filter, branch: BranchRows, position: number): boolean {
  const message = branch.findRow(position);
  if (message === undefined) return true;
  const isResult = branch.tree.kindAt(position)?.role === "toolResult";
  return matches(branch, message, filter) && !(filter === "conversation" && isResult);
}

/** Whether a message has results of tools that change files. */
export function isEditRow(branch: BranchRows, message: number): boolean {
  return branch.kinds(message).some(({ role, tool }) => role === "toolResult" && EDITING.test(tool ?? ""));
}

function matches(branch: BranchRows, message: number, filter: Filter): boolean {
  const kind = branch.kind(message);
  switch (filter) {
    case "all":
      return true;
    case "prompts":
      return kind?.role === "user";
    case "conversation":
      return kind?.role === "user" || (kind?.hasText === true && kind.role !== "toolResult");
    case "edits":
      return isEditRow(branch, message);
    case "errors":
      return branch.kinds(message).some(({ failed }) => failed);
  }
}

/** The calls of a group. */
export function countGroupCalls(branch: BranchRows, { first, last }: CallGroup): CallCounts {
  const rows = Array.from({ length: last - first + 1 }, (_, n) => branch.kinds(first + n));
  return countCalls(rows.flat());
}
