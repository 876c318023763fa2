/** Pages through one large session over MCP, and checks that every entry appears once, in order and within the limit. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReadAnswer } from "../../bin/agents/answers.ts";
import { toEntryText } from "../../bin/agents/entry-text.ts";
import { openIndex } from "../../library/index.ts";
import type { BenchRoot } from "../bench-root.ts";
import { CountingClient } from "./counting-client.ts";

/** How much a page may exceed its limit, because tokenizers count differently. */
const TOLERANCE = 1.1;

/** Measurements of reading several pages. */
export interface PageRun {
  what: string;
  pages: number;
  entries: number;
  medianMs: number;
  p95Ms: number;
  maxMs: number;
  /** Tokens of the longest page. */
  maxTokens: number;
  limitTokens: number;
}

export interface PagingReport {
  title: string;
  /** Number of entries of the branch with text. */
  textEntries: number;
  /** Milliseconds until the first complete result, including the first index. */
  indexMs: number;
  forwards: PageRun;
  backwards: PageRun;
  /** Peak memory of the server; undefined without /proc. */
  peakBytes: number | undefined;
  /** Descriptions of incorrect pages. */
  faults: string[];
}

export async function benchmarkPaging({ path, title }: BenchRoot): Promise<PagingReport> {
  const scratch = mkdtempSync(join(tmpdir(), "pidex-agents-"));
  try {
    const file = findOnlySession(path);
    const db = join(scratch, "index.db");
    const client = await CountingClient.start({ root: path, db });
    try {
      const startedAt = performance.now();
      while ((await client.call<ReadAnswer>("list_sessions", {})).data.remark !== undefined);
      const indexMs = performance.now() - startedAt;
      const expected = await findTextLines(path, file, db);
      const faults: string[] = [];

      const forwards = await readPages(client, { session: file, max_tokens: 50_000 }, "next");
      faults.push(...checkLines("forwards", forwards.lines, expected), ...checkLength(forwards.run));
      const params = { session: file, from: "end", max_tokens: 2000 } as const;
      const backwards = await readPages(client, params, "previous", 50);
      faults.push(...checkLines("backwards", backwards.lines, expected.slice(-backwards.lines.length)));
      faults.push(...checkLength(backwards.run));

      const peakBytes = readPeakBytes(client.pid);
      return {
        ...{ title, textEntries: expected.length, indexMs, peakBytes, faults },
        forwards: forwards.run,
        backwards: backwards.run,
      };
    } finally {
      await client.close();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function findOnlySession(root: string): string {
  const [file, ...others] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".jsonl") && !name.includes("subagent-artifacts"),
  );
  if (file === undefined || others.length > 0) throw new Error(`Not exactly one session in ${root}`);
  return join(root, file);
}

/** Line numbers of the entries with text, in the order of the branch. */
async function findTextLines(root: string, file: string, db: string): Promise<number[]> {
  await using index = await openIndex({ db, roots: [root] });
  const order = new Map((await index.branch(file)).map(({ line }, position) => [line, position]));
  const lines: number[] = [];
  for await (const { entry, line } of index.entries(file, { branch: "current" }))
    if (order.has(line) && toEntryText(entry, { thinking: false }).text !== "") lines.push(line);
  return lines.sort((a, b) => (order.get(a) as number) - (order.get(b) as number));
}

/** Reads page after page, and returns the line numbers of the entries in the order of the branch. */
async function readPages(
  client: CountingClient,
  params: { session: string; max_tokens: number; from?: "end" },
  direction: "next" | "previous",
  maxPages = Number.POSITIVE_INFINITY,
): Promise<{ lines: number[]; run: PageRun }> {
  const lines: number[] = [];
  const times: number[] = [];
  let maxTokens = 0;
  let cursor: string | undefined;
  do {
    const { data, ms, textTokens } = await client.call<ReadAnswer>("read_session", {
      ...params,
      ...(cursor !== undefined && { cursor }),
    });
    times.push(ms);
    maxTokens = Math.max(maxTokens, textTokens);
    const page = data.entries.map(({ line }) => line);
    if (direction === "previous") lines.unshift(...page);
    // An entry longer than a page continues on the next one, and counts once.
    else for (const [n, line] of page.entries()) if (n > 0 || line !== lines.at(-1)) lines.push(line);
    cursor = data[direction];
  } while (cursor !== undefined && times.length < maxPages);
  times.sort((a, b) => a - b);
  const percentile = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] as number;
  return {
    lines,
    run: {
      what: `pages of ${params.max_tokens} tokens, ${direction === "next" ? "forwards from the start" : "backwards from the end"}`,
      ...{ pages: times.length, entries: lines.length, maxTokens, limitTokens: params.max_tokens },
      ...{ medianMs: percentile(0.5), p95Ms: percentile(0.95), maxMs: times.at(-1) as number },
    },
  };
}

function checkLines(what: string, actual: readonly number[], expected: readonly number[]): string[] {
  const at = actual.findIndex((line, position) => line !== expected[position]);
  if (at < 0 && actual.length === expected.length) return [];
  return [
    `${what}: ${actual.length} of ${expected.length} entries; number ${at + 1} is on line ${actual[at]}, not ${expected[at]}`,
  ];
}

function checkLength({ what, maxTokens, limitTokens }: PageRun): string[] {
  return maxTokens <= limitTokens * TOLERANCE ? [] : [`${what}: a page has ${maxTokens} tokens`];
}

/** `VmHWM` of a process, in bytes. */
function readPeakBytes(pid: number): number | undefined {
  try {
    const kB = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kB === undefined ? undefined : Number(kB) * 1024;
  } catch {
    return undefined; // no /proc, as on macOS
  }
}

export function formatPagingReport({
  title,
  textEntries,
  indexMs,
  peakBytes,
  faults,
  ...report
}: PagingReport): string {
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  return [
    `One session of ${title} with ${textEntries} entries with text, indexed in ${ms(indexMs)}:`,
    ...[report.forwards, report.backwards].map(
      ({ what, pages, entries, medianMs, p95Ms, maxMs, maxTokens }) =>
        `  ${pages} ${what}: ${entries} entries, median ${ms(medianMs)}, p95 ${ms(p95Ms)}, max ${ms(maxMs)}, longest page ${maxTokens} tokens`,
    ),
    `  peak memory of the server: ${peakBytes === undefined ? "unknown" : `${Math.round(peakBytes / 1e6)} MB`}`,
    ...(faults.length === 0
      ? ["  every entry once, in order, within the limit"]
      : faults.map((fault) => `  FAULT ${fault}`)),
  ].join("\n");
}
