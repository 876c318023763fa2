/**
 * Tool calls that a tool made while it ran, as pi 0.99 and later record them on the tool's result: codemode scripts call
 * `read`, `bash` and the rest there, and these calls have no entries of their own.
 *
 * pi writes `nestedCalls: {calls: [{id, name, arguments?, argumentsBytes?, status, durationMs?, error?}], complete}`: one flat
 * list, in which the id `CALL/2/1` is the first call of the tool that was called as `CALL/2`. It never records results.
 */
import { isRecord } from "./json.ts";

/** More than pi records (256), and few enough that a hostile line costs nothing. */
export const MAX_NESTED_CALLS = 1_000;

/** A tool call that a tool made. */
export interface NestedCall {
  id: string;
  name: string;
  /** Undefined when they were too long to be recorded. */
  arguments: Record<string, unknown> | undefined;
  /** Size of arguments that were not recorded. */
  argumentsBytes: number | undefined;
  /** `unfinished` when the script ended, or was stopped, before the call did. */
  status: "ok" | "error" | "unfinished";
  durationMs: number | undefined;
  /** The error text of a failed call, at most 500 characters of it as pi records it. */
  error: string | undefined;
  /** 0 for calls of the tool itself, 1 for calls of a tool it called, and so on. */
  depth: number;
}

export interface NestedCalls {
  /** Every call is followed by those it made itself. At most `MAX_NESTED_CALLS`. */
  calls: NestedCall[];
  /** False when pi left out calls or arguments, or a call did not finish. */
  isComplete: boolean;
  /** Number of recorded calls that are not in `calls`. */
  leftOut: number;
}

interface Result {
  toolCallId?: string | undefined;
  nestedCalls?: unknown;
  details?: unknown;
}

/** The calls that the tool of a result made; undefined when it made none. Whatever the record holds, nothing is thrown. */
export function nestedCalls(result: Result): NestedCalls | undefined {
  const { nestedCalls: record } = result;
  if (typeof record !== "object" || record === null) return undefined;
  const list = Array.isArray(record) ? record : (record as { calls?: unknown }).calls;
  const isComplete = Array.isArray(record) || (record as { complete?: unknown }).complete !== false;
  const shown = isComplete ? [] : shownCalls(result);
  const { found, leftOut } = readCalls(Array.isArray(list) ? list : []);
  addMissing(found, shown, result.toolCallId ?? "");
  if (found.length === 0) return undefined;
  return { calls: inTreeOrder(found), isComplete, leftOut };
}

interface FoundCall extends Omit<NestedCall, "depth"> {
  /** The call that it is listed in; undefined in pi's flat list. */
  within: FoundCall | undefined;
}

/** The calls of a list and of the lists in them. Iterative: a line may nest them 100,000 deep. */
function readCalls(list: readonly unknown[]): { found: FoundCall[]; leftOut: number } {
  const found: FoundCall[] = [];
  let leftOut = 0;
  const waiting: { list: readonly unknown[]; within: FoundCall | undefined }[] = [
    { list, within: undefined },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { list, within } = next;
    for (const [n, value] of list.entries()) {
      if (found.length >= MAX_NESTED_CALLS) {
        leftOut += list.length - n;
        break;
      }
      if (!isRecord(value)) continue;
      const call = readCall(value, within);
      found.push(call);
      const inner = isRecord(value.nestedCalls) ? value.nestedCalls.calls : value.nestedCalls;
      if (Array.isArray(inner)) waiting.push({ list: inner, within: call });
    }
  }
  return { found, leftOut };
}

function readCall(value: Record<string, unknown>, within: FoundCall | undefined): FoundCall {
  const { id, name, arguments: args, argumentsBytes, durationMs, error } = value;
  return {
    id: typeof id === "string" ? id : "",
    name: typeof name === "string" ? name : "",
    arguments: isRecord(args) ? args : undefined,
    argumentsBytes: figure(argumentsBytes),
    status: statusOf(value),
    durationMs: figure(durationMs),
    error: typeof error === "string" && error !== "" ? error : undefined,
    within,
  };
}

function statusOf({ status, isError, error }: Record<string, unknown>): NestedCall["status"] {
  if (status === "error" || isError === true || (status === undefined && typeof error === "string")) {
    return "error";
  }
  return status === "ok" || isError === false ? "ok" : "unfinished";
}

/** More is no duration and no size, and no integer of SQLite's. */
const MAX_FIGURE = 1e15;

function figure(value: unknown): number | undefined {
  const isFigure = typeof value === "number" && value >= 0 && value <= MAX_FIGURE;
  return isFigure ? Math.round(value) : undefined;
}

/** What codemode shows of its calls: all of them, each with the first 200 characters of its arguments. */
function shownCalls({ details }: Result): Record<string, unknown>[] {
  const calls = isRecord(details) ? details.calls : undefined;
  return Array.isArray(calls) ? calls.filter(isRecord) : [];
}

/** Adds arguments, and calls, that pi left out of its record, as far as codemode shows them. */
function addMissing(found: FoundCall[], shown: readonly Record<string, unknown>[], toolCallId: string): void {
  const known = new Map(found.map((call) => [call.id, call]));
  for (const value of shown) {
    const { id, args } = value;
    // Calls of classifier and image models are listed there too: their ids have the name of a function.
    if (typeof id !== "string" || !id.startsWith(`${toolCallId}/`)) continue;
    if (!/^[\d/]+$/.test(id.slice(toolCallId.length + 1))) continue;
    let call = known.get(id);
    if (!call) {
      if (found.length >= MAX_NESTED_CALLS) return;
      call = readCall(value, undefined);
      known.set(id, call);
      found.push(call);
    }
    if (!call.arguments && typeof args === "string") call.arguments = beginningOfObject(args);
  }
}

const FIELD =
  /[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?=\s*[,}])/y;

/** The fields of a JSON object that are whole in its beginning; undefined when none is. */
function beginningOfObject(json: string): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {};
  let isEmpty = true;
  FIELD.lastIndex = 0;
  for (let match = FIELD.exec(json); match; match = FIELD.exec(json)) {
    try {
      fields[JSON.parse(match[1] as string) as string] = JSON.parse(match[2] as string);
    } catch {
      break; // an escape that JSON does not have: what was read before it stands
    }
    isEmpty = false;
  }
  return isEmpty ? undefined : fields;
}

/** Calls that run at once are recorded mixed: here each is followed by its own. */
function inTreeOrder(found: readonly FoundCall[]): NestedCall[] {
  const byId = new Map(found.map((call) => [call.id, call]));
  const children = new Map<FoundCall | undefined, FoundCall[]>();
  for (const call of found) {
    const above = call.within ?? byId.get(call.id.slice(0, Math.max(0, call.id.lastIndexOf("/"))));
    const parent = above === call || call.id === "" ? call.within : above;
    const siblings = children.get(parent);
    if (siblings) siblings.push(call);
    else children.set(parent, [call]);
  }
  const ordered: NestedCall[] = [];
  const waiting = (children.get(undefined) ?? []).map((call) => ({ call, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { call, depth } = next;
    const { within: _, ...rest } = call;
    ordered.push({ ...rest, depth });
    for (const child of (children.get(call) ?? []).toReversed())
      waiting.push({ call: child, depth: depth + 1 });
  }
  return ordered;
}
