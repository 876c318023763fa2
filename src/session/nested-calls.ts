/**
 * Tool calls made by a tool, which pi 0.99 and later record in the tool's result: codemode scripts call `read`, `bash` and
 * other tools, and these calls have no entries of their own.
 *
 * pi writes `nestedCalls: {calls: [{id, name, arguments?, argumentsBytes?, status, durationMs?, error?}], complete}`: a flat
 * list, in which the id `CALL/2/1` is the first call made by the call `CALL/2`. It never records results.
 */
import { isRecord } from "./json.ts";

/** More than pi records (256), and low enough that a hostile line is cheap. */
export const MAX_NESTED_CALLS = 1_000;

/** A tool call made by a tool. */
export interface NestedCall {
  id: string;
  name: string;
  /** Undefined if they were too long to be recorded. */
  arguments: Record<string, unknown> | undefined;
  /** Size in bytes of arguments that were not recorded. */
  argumentsBytes: number | undefined;
  /** `unfinished` if the script ended or was stopped before the call. */
  status: "ok" | "error" | "unfinished";
  durationMs: number | undefined;
  /** The error text of a failed call; pi records at most 500 characters. */
  error: string | undefined;
  /** 0 for calls of the tool itself, 1 for calls made by those, and so on. */
  depth: number;
}

export interface NestedCalls {
  /** In tree order: every call is followed by the calls it made. At most `MAX_NESTED_CALLS`. */
  calls: NestedCall[];
  /** False if pi omitted calls or arguments, or a call did not finish. */
  isComplete: boolean;
  /** Number of recorded calls that are not in `calls`. */
  omitted: number;
}

interface Result {
  toolCallId?: string | undefined;
  nestedCalls?: unknown;
  details?: unknown;
}

/** The calls recorded in a tool result; undefined if there are none. Never throws. */
export function parseNestedCalls(result: Result): NestedCalls | undefined {
  const { nestedCalls: record } = result;
  if (typeof record !== "object" || record === null) return undefined;
  const list = Array.isArray(record) ? record : (record as { calls?: unknown }).calls;
  const isComplete = Array.isArray(record) || (record as { complete?: unknown }).complete !== false;
  const displayed = isComplete ? [] : getDisplayedCalls(result);
  const { found, omitted } = readCalls(Array.isArray(list) ? list : []);
  addMissing(found, displayed, result.toolCallId ?? "");
  if (found.length === 0) return undefined;
  return { calls: sortIntoTree(found), isComplete, omitted };
}

interface FoundCall extends Omit<NestedCall, "depth"> {
  /** The call that lists this one; undefined in pi's flat list. */
  within: FoundCall | undefined;
}

/** The calls in a list and its nested lists. Iterative, because a line may nest them 100,000 deep. */
function readCalls(list: readonly unknown[]): { found: FoundCall[]; omitted: number } {
  const found: FoundCall[] = [];
  let omitted = 0;
  const pending: { list: readonly unknown[]; within: FoundCall | undefined }[] = [
    { list, within: undefined },
  ];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { list, within } = next;
    for (const [n, value] of list.entries()) {
      if (found.length >= MAX_NESTED_CALLS) {
        omitted += list.length - n;
        break;
      }
      if (!isRecord(value)) continue;
      const call = readCall(value, within);
      found.push(call);
      const inner = isRecord(value.nestedCalls) ? value.nestedCalls.calls : value.nestedCalls;
      if (Array.isArray(inner)) pending.push({ list: inner, within: call });
    }
  }
  return { found, omitted };
}

function readCall(value: Record<string, unknown>, within: FoundCall | undefined): FoundCall {
  const { id, name, arguments: args, argumentsBytes, durationMs, error } = value;
  return {
    id: typeof id === "string" ? id : "",
    name: typeof name === "string" ? name : "",
    arguments: isRecord(args) ? args : undefined,
    argumentsBytes: toFigure(argumentsBytes),
    status: toStatus(value),
    durationMs: toFigure(durationMs),
    error: typeof error === "string" && error !== "" ? error : undefined,
    within,
  };
}

function toStatus({ status, isError, error }: Record<string, unknown>): NestedCall["status"] {
  if (status === "error" || isError === true || (status === undefined && typeof error === "string")) {
    return "error";
  }
  return status === "ok" || isError === false ? "ok" : "unfinished";
}

/** Far above any duration or size, and below SQLite's largest integer. */
const MAX_FIGURE = 1e15;

function toFigure(value: unknown): number | undefined {
  const isFigure = typeof value === "number" && value >= 0 && value <= MAX_FIGURE;
  return isFigure ? Math.round(value) : undefined;
}

/** The calls that codemode displays: all of them, each with the first 200 characters of its arguments. */
function getDisplayedCalls({ details }: Result): Record<string, unknown>[] {
  const calls = isRecord(details) ? details.calls : undefined;
  return Array.isArray(calls) ? calls.filter(isRecord) : [];
}

/** Adds calls and arguments that are missing from pi's record but displayed by codemode. */
function addMissing(
  found: FoundCall[],
  displayed: readonly Record<string, unknown>[],
  toolCallId: string,
): void {
  const known = new Map(found.map((call) => [call.id, call]));
  for (const value of displayed) {
    const { id, args } = value;
    // Also lists calls of classifier and image models, with a function name in the id.
    if (typeof id !== "string" || !id.startsWith(`${toolCallId}/`)) continue;
    if (!/^[\d/]+$/.test(id.slice(toolCallId.length + 1))) continue;
    let call = known.get(id);
    if (!call) {
      if (found.length >= MAX_NESTED_CALLS) return;
      call = readCall(value, undefined);
      known.set(id, call);
      found.push(call);
    }
    if (!call.arguments && typeof args === "string") call.arguments = parseObjectStart(args);
  }
}

const FIELD =
  /[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?=\s*[,}])/y;

/** The complete fields in the beginning of a JSON object; undefined if there are none. */
function parseObjectStart(json: string): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {};
  let isEmpty = true;
  FIELD.lastIndex = 0;
  for (let match = FIELD.exec(json); match; match = FIELD.exec(json)) {
    try {
      fields[JSON.parse(match[1] as string) as string] = JSON.parse(match[2] as string);
    } catch {
      break; // an invalid escape: keep the fields before it
    }
    isEmpty = false;
  }
  return isEmpty ? undefined : fields;
}

/** Sorts calls into tree order: pi records concurrent calls interleaved. */
function sortIntoTree(found: readonly FoundCall[]): NestedCall[] {
  const byId = new Map(found.map((call) => [call.id, call]));
  const children = Map.groupBy(found, (call) => {
    const caller = call.within ?? byId.get(call.id.slice(0, Math.max(0, call.id.lastIndexOf("/"))));
    return caller === call || call.id === "" ? call.within : caller;
  });
  const ordered: NestedCall[] = [];
  const pending = (children.get(undefined) ?? []).map((call) => ({ call, depth: 0 })).reverse();
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { call, depth } = next;
    const { within: _, ...rest } = call;
    ordered.push({ ...rest, depth });
    for (const child of (children.get(call) ?? []).toReversed())
      pending.push({ call: child, depth: depth + 1 });
  }
  return ordered;
}
