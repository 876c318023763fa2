/** What consecutive tool calls touched: "edit till.ts, sales.ts · read 4 files · 2 bash". Built into the page. */
import { type CallCounts, formatCallCounts } from "./call-counts.ts";
import { findPath } from "./edits.ts";
import { formatInteger, toOneLine } from "./safe.ts";
import { getMainArgument, relativeTo } from "./tool-call.ts";

/** A call, safe for display. */
export interface NamedCall {
  tool: string;
  /** Its main argument on one line. */
  about: string;
  /** Whether it reads or changes the file that `about` names. */
  use?: "read" | "edit" | undefined;
}

/** Calls of one tool: the files that they touched, or their number. */
export interface CallSegment {
  tool: string;
  count: string;
  failed: boolean;
  /** Names of files without folders, each once. */
  files?: readonly string[] | undefined;
  /** The number of further files. */
  moreFiles?: number | undefined;
}

/** Files that are named. More files that are only read are counted: what was changed says more. */
const MAX_NAMED = { edit: 4, read: 2 };

const EDITING = /edit|write|patch|create|replace|insert/i;
const READING = /^(?:\w*[_-])?(?:read|view|cat|open)/i;
const MAX_TOOL_LENGTH = 40;

/** @param folder the session's folder; paths below it are relative to it */
export function nameCall(
  name: string | undefined,
  args: Record<string, unknown>,
  folder: string | undefined,
): NamedCall {
  const tool = toOneLine((name ?? "tool").slice(0, MAX_TOOL_LENGTH));
  const command = typeof args.command === "string" ? args.command.slice(0, 20) : "";
  const use = EDITING.test(`${tool} ${findPath(args) === undefined ? "" : command}`)
    ? "edit"
    : READING.test(tool)
      ? "read"
      : undefined;
  const path = use && findPath(args);
  if (path === undefined) return { tool, about: getMainArgument(args, folder).text };
  return { tool, about: toOneLine(relativeTo(folder, path).slice(0, 1000)), use };
}

/**
 * The segments of a summary, changes first and failures last, and the calls of other tools, such as "3 others".
 *
 * @param calls undefined while they are loading; then files are not named
 */
export function summarizeCalls(
  counts: CallCounts,
  calls: readonly NamedCall[] | undefined,
): { segments: CallSegment[]; others: string | undefined } {
  const { tools, others } = formatCallCounts(counts);
  const ranked = tools.map(({ tool, count, failed }): [rank: number, segment: CallSegment] => {
    const own = failed ? [] : (calls?.filter((call) => call.tool === tool) ?? []);
    const [{ use } = {}] = own;
    if (use === undefined || own.some((call) => call.use !== use))
      return [failed ? 3 : 2, { tool, count, failed }];
    const files = [...new Set(own.map(({ about }) => about))];
    const isCounted = use === "read" && files.length > MAX_NAMED.read;
    const named = isCounted ? [] : files.slice(0, MAX_NAMED[use]);
    const names = named.map((path) => path.slice(path.search(/[^/\\]*$/)));
    const segment = { tool, count, failed, files: names, moreFiles: files.length - names.length };
    return [use === "edit" ? 0 : 1, segment];
  });
  return { segments: ranked.sort(([a], [b]) => a - b).map(([, segment]) => segment), others };
}

/** Lines of `formatCallList`. */
const MAX_LISTED = 40;

/** All calls, one per line. */
export function formatCallList(calls: readonly NamedCall[]): string {
  const lines = calls.slice(0, MAX_LISTED).map(({ tool, about }) => `${tool} ${about.slice(0, 120)}`.trim());
  if (calls.length > MAX_LISTED) lines.push(`… ${formatInteger(calls.length - MAX_LISTED)} more`);
  return lines.join("\n");
}
