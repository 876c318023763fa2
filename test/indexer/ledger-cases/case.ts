import {
  at,
  type Fields,
  type FileContent,
  type Line,
  prompt,
  response,
  toolResult,
  usage,
  v1,
  v3,
} from "../ledger-files.ts";

/** Session files with their costs, and their tokens if not 13 per event. Summed by hand. */
export interface LedgerCase {
  name: string;
  /** Files by path below the root, in the order of their creation. */
  files: (root: string) => Record<string, FileContent>;
  usd: number;
  tokens: number;
  /** Folders below the root that are passed as roots. */
  roots?: string[];
  /** Cost of each of these folders if it is the only root. */
  usdByRoot?: number[];
  /** Cost by file that owns it. */
  usdByFile?: Record<string, number>;
  /** Cost by day in UTC; "" for events without a time. */
  usdByDay?: Record<string, number>;
}

/** A version 1 session with three responses: $1.00, $0.50 and $0.25. */
export const version1Session = (id = "aaaa"): string =>
  v1(id, [
    prompt(null, 0),
    response(null, 1, 1),
    response(null, 2, 0.5),
    prompt(null, 3),
    response(null, 4, 0.25),
  ]);
/** A version 3 session with two responses: $1.00 and $0.50. */
export const version3Session = (id = "aaaa", header: Fields = {}): string =>
  v3(id, [prompt("q1", 0), response("a1", 1, 1), response("a2", 2, 0.5)], header);
export const withCost = (cost: unknown): Fields => ({ usage: usage(cost) });
export const scout = (fields: Fields = {}): Fields => ({ agent: "scout", ...fields });
export const worker = (fields: Fields = {}): Fields => ({ agent: "worker", ...fields });
/** A session that costs $1.00, with a tool result that reports $0.75 for its subagents. */
export const callerSession = (results: Fields[], sum: unknown, more: Line[] = []): string =>
  v3("call", [
    prompt("q1", 0),
    response("a1", 1, 1),
    toolResult("r1", 9, { ...(sum === undefined ? {} : { usage: usage(sum) }), details: { results } }),
    ...more,
  ]);
/** The session of a subagent run, with responses of these costs. */
export const runSession = (id: string, ...usd: number[]): string =>
  v3(id, [prompt("t1", 2), ...usd.map((each, n) => response(`${id}${n}`, 3 + n, each))], {
    timestamp: at(2),
  });

export const singleFile = (name: string, file: string, usd: number, tokens = 13): LedgerCase => ({
  name,
  files: () => ({ "a.jsonl": file }),
  usd,
  tokens,
});
export const severalFiles = (
  name: string,
  files: LedgerCase["files"],
  usd: number,
  eventCount: number,
  more: Partial<LedgerCase> = {},
): LedgerCase => ({ name, files, usd, tokens: eventCount * 13, ...more });
