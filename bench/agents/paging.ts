/** Pages through one giant session over MCP, and looks whether every entry comes once, in order and within bounds. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReadAnswer } from "../../bin/agents/answers.ts";
import { toEntryText } from "../../bin/agents/entry-text.ts";
import { openIndex } from "../../library/index.ts";
import type { BenchRoot } from "../bench-root.ts";
import { CountingClient } from "./counting-client.ts";

/** A page may be longer than it was to be by this much: models count differently. */
const TOLERANCE = 1.1;

export interface Pages {
  what: string;
  pages: number;
  entries: number;
  medianMs: number;
  p95Ms: number;
  slowestMs: number;
  /** The longest page, in tokens. */
  longest: number;
  bound: number;
}

export interface GiantReport {
  title: string;
  /** Entries of the branch that say something. */
  spoken: number;
  /** How long the first question took, with the first index, in milliseconds. */
  indexMs: number;
  forwards: Pages;
  backwards: Pages;
  /** The most memory that the server took; undefined where there is no /proc. */
  peakBytes: number | undefined;
  /** What was not as it should be. */
  faults: string[];
}

export async function benchmarkPaging({ path, title }: BenchRoot): Promise<GiantReport> {
  const scratch = mkdtempSync(join(tmpdir(), "pidex-agents-"));
  try {
    const file = onlySession(path);
    const db = join(scratch, "index.db");
    const client = await CountingClient.start({ root: path, db });
    try {
      const began = performance.now();
      while ((await client.call<ReadAnswer>("list_sessions", {})).data.remark !== undefined);
      const indexMs = performance.now() - began;
      const spoken = await spokenLines(path, file, db);
      const faults: string[] = [];

      const on = await walk(client, { session: file, max_tokens: 50_000 }, "next");
      faults.push(...differences("forwards", on.lines, spoken), ...tooLong(on.pages));
      const back = await walk(client, { session: file, from: "end", max_tokens: 2000 }, "previous", 50);
      faults.push(...differences("backwards", back.lines, spoken.slice(-back.lines.length)));
      faults.push(...tooLong(back.pages));

      const peakBytes = peakOf(client.pid);
      return {
        ...{ title, spoken: spoken.length, indexMs, peakBytes, faults },
        forwards: on.pages,
        backwards: back.pages,
      };
    } finally {
      await client.close();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function onlySession(root: string): string {
  const [file, ...others] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".jsonl") && !name.includes("subagent-artifacts"),
  );
  if (file === undefined || others.length > 0) throw new Error(`Not one session: ${root}`);
  return join(root, file);
}

/** The lines of the entries of the branch that say something to anybody, in the order of the branch. */
async function spokenLines(root: string, file: string, db: string): Promise<number[]> {
  await using index = await openIndex({ db, roots: [root] });
  const order = new Map((await index.branch(file)).map(({ line }, place) => [line, place]));
  const spoken: number[] = [];
  for await (const { entry, line } of index.entries(file, { branch: "current" }))
    if (order.has(line) && toEntryText(entry, { thinking: false }).text !== "") spoken.push(line);
  return spoken.sort((a, b) => (order.get(a) as number) - (order.get(b) as number));
}

/** Reads page after page, and returns the lines of the entries in the order of the branch. */
async function walk(
  client: CountingClient,
  asked: { session: string; max_tokens: number; from?: "end" },
  onward: "next" | "previous",
  most = Number.POSITIVE_INFINITY,
): Promise<{ lines: number[]; pages: Pages }> {
  const lines: number[] = [];
  const times: number[] = [];
  let longest = 0;
  let cursor: string | undefined;
  do {
    const { data, ms, textTokens } = await client.call<ReadAnswer>("read_session", {
      ...asked,
      ...(cursor !== undefined && { cursor }),
    });
    times.push(ms);
    longest = Math.max(longest, textTokens);
    const page = data.entries.map(({ line }) => line);
    if (onward === "previous") lines.unshift(...page);
    // An entry that no page holds as a whole is gone on with on the next: that is once.
    else for (const [n, line] of page.entries()) if (n > 0 || line !== lines.at(-1)) lines.push(line);
    cursor = data[onward];
  } while (cursor !== undefined && times.length < most);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] as number;
  return {
    lines,
    pages: {
      what: `pages of ${asked.max_tokens} tokens, ${onward === "next" ? "from the start on" : "from the end back"}`,
      ...{ pages: times.length, entries: lines.length, longest, bound: asked.max_tokens },
      ...{ medianMs: at(0.5), p95Ms: at(0.95), slowestMs: times.at(-1) as number },
    },
  };
}

function differences(what: string, seen: readonly number[], expected: readonly number[]): string[] {
  const at = seen.findIndex((line, place) => line !== expected[place]);
  if (at < 0 && seen.length === expected.length) return [];
  return [
    `${what}: ${seen.length} entries of ${expected.length}; the ${at + 1}. is that of line ${seen[at]}, not ${expected[at]}`,
  ];
}

function tooLong({ what, longest, bound }: Pages): string[] {
  return longest <= bound * TOLERANCE ? [] : [`${what}: one is ${longest} tokens long`];
}

/** `VmHWM` of a process, in bytes. */
function peakOf(pid: number): number | undefined {
  try {
    const kB = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kB === undefined ? undefined : Number(kB) * 1024;
  } catch {
    return undefined; // no /proc here, as on macOS
  }
}

export function formatGiantReport({
  title,
  spoken,
  indexMs,
  peakBytes,
  faults,
  ...report
}: GiantReport): string {
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  return [
    `One session of ${title}, ${spoken} entries that say something, indexed in ${ms(indexMs)}:`,
    ...[report.forwards, report.backwards].map(
      ({ what, pages, entries, medianMs, p95Ms, slowestMs, longest }) =>
        `  ${pages} ${what}: ${entries} entries, median ${ms(medianMs)}, p95 ${ms(p95Ms)}, slowest ${ms(slowestMs)}, longest ${longest} tokens`,
    ),
    `  peak memory of the server: ${peakBytes === undefined ? "not known here" : `${Math.round(peakBytes / 1e6)} MB`}`,
    ...(faults.length === 0
      ? ["  every entry once, in order, within bounds"]
      : faults.map((fault) => `  FAULT ${fault}`)),
  ].join("\n");
}
