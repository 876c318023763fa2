/** The branches of a session that were left: one statement each. */
import type { IndexQueries, Outline } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { isSummary } from "../format/entry-kinds.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { toTranscript } from "../format/transcript.ts";
import { type Branch, groupByParent } from "./branch.ts";
import { cutEnd, type Statement } from "./facts/statements.ts";

/** Branches that are named, the longest ones. */
const MAX_BRANCHES = 12;
/** Shorter ones are settings and names. */
const MIN_ENTRIES = 2;

/** @throws as `Index.entries` */
export async function listAbandoned(
  index: IndexQueries,
  path: string,
  outline: Outline,
  { positions }: Branch,
  redactor: Redactor | undefined,
): Promise<Statement[]> {
  const current = new Set(positions);
  const children = groupByParent(outline);
  const starts = [...outline.parent.keys()].filter(
    (at) =>
      !current.has(at) && ((outline.parent[at] as number) < 0 || current.has(outline.parent[at] as number)),
  );
  const branches = starts
    .map((start) => measureBranch(start, outline, children))
    .filter(({ entries, request }) => entries >= MIN_ENTRIES && request !== undefined)
    .sort((a, b) => b.entries - a.entries)
    .slice(0, MAX_BRANCHES);
  const lines = branches.map(({ request }) => outline.line[request as number] as number);
  const texts = new Map<number, string>();
  for await (const { entry, line } of index.entries(path, { branch: { lines } })) {
    const text = toTranscript(entry)
      .parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))
      .join(" ");
    texts.set(line, cutEnd(toOneLine(redactor ? redactor.redactText(text) : text), 160));
  }
  return branches.map(({ entries }, n) => {
    const line = lines[n] as number;
    return {
      line,
      text: `tried and abandoned: "${texts.get(line) ?? ""}" (${formatCount(entries, "entry", "entries")})`,
    };
  });
}

/** The size of a branch with its sub-branches, and the entry that says what it is about: the user's first message, or else a summary. */
function measureBranch(start: number, { kind, kinds }: Outline, children: ReadonlyMap<number, number[]>) {
  let entries = 0;
  let request: number | undefined;
  let other: number | undefined;
  const pending = [start];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    entries++;
    const { type, role } = kinds[kind[at] as number] ?? { type: "" };
    if (role === "user" && (request === undefined || at < request)) request = at;
    else if ((role === "assistant" || isSummary(type)) && (other === undefined || at < other)) other = at;
    pending.push(...(children.get(at) ?? []));
  }
  return { entries, request: request ?? other };
}
