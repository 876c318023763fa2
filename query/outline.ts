import { getOrInsert } from "../src/get-or-insert.ts";
import type { EntryId } from "../src/session/entries.ts";
import { TreeParents } from "../src/session/tree.ts";
import type { OutlineRow } from "../src/store/entry-reads.ts";
import type { Store } from "../src/store/store.ts";
import type { ResolvedSession } from "./resolve-session.ts";
import { readLabels } from "./tree.ts";

/**
 * The tree of a session in columns, one row per entry in file order. 200,000 entries take a few megabytes; as objects they
 * would take a hundred.
 */
export interface Outline {
  /** The types and roles that occur; `kind` refers to them by position. */
  kinds: OutlineKind[];
  kind: number[];
  /** Line numbers, from 1. */
  line: number[];
  /** Positions of the parent entries; -1 for roots. */
  parent: number[];
  /** Unix milliseconds; null if unknown. */
  time: (number | null)[];
  id: (EntryId | null)[];
  /** What model responses record of costs, in US dollars; 0 for all other entries. */
  costUsd: number[];
  /** Current labels, by position of the labeled entry. */
  labels: { position: number; label: string }[];
  /** Subagents' sessions, by position of the tool result that names their file. */
  runs: { position: number; path: string }[];
}

/** What the entries of one kind have in common. */
export interface OutlineKind {
  type: string;
  role?: string;
  /** For results: the tool. */
  tool?: string;
  /** Whether they record a failure. */
  failed?: true;
  /** Whether a user or a model says something in them; absent if there are only thinking, calls or output. */
  hasText?: true;
}

/** Returns the tree of a session in columns. */
export async function readSessionOutline(store: Store, session: ResolvedSession): Promise<Outline> {
  const entries = await store.entries();
  const labels = await readLabels(store, session);
  const kinds: Outline["kinds"] = [];
  const known = new Map<string, number>();
  const parents = new TreeParents();
  const columns = { kind: [], line: [], parent: [], time: [], id: [], costUsd: [] };
  const outline: Outline = { kinds, ...columns, labels: [], runs: [] };
  const costs = new Map(
    (await entries.listResponseCosts(session.fileId)).map(({ line, cost }) => [line, cost]),
  );
  for await (const rows of entries.outlinePages(session.fileId)) {
    for (const row of rows) {
      const { line, timestamp, id } = row;
      outline.kind.push(getOrInsert(known, nameKind(row), () => kinds.push(toKind(row)) - 1));
      outline.line.push(line);
      outline.time.push(timestamp);
      const label = labels.size > 0 && id !== null ? labels.get(id) : undefined;
      if (label) outline.labels.push({ position: outline.id.length, label: label.label });
      outline.id.push(id);
      outline.costUsd.push((costs.get(line) ?? 0) / 1e9);
      parents.add(row);
    }
  }
  outline.parent = parents.toArray();
  const runs = await entries.listRuns(session.fileId);
  if (runs.length > 0) {
    const positions = new Map(outline.line.map((line, position) => [line, position]));
    outline.runs = runs.map(({ line, path }) => ({ position: positions.get(line) as number, path }));
  }
  return outline;
}

function nameKind({ type, role, tool, failed, has_text }: OutlineRow): string {
  return [type, role ?? "", tool ?? "", failed, has_text].join("\n");
}

function toKind({ type, role, tool, failed, has_text }: OutlineRow): OutlineKind {
  return {
    type,
    ...(role !== null && { role }),
    ...(tool !== null && { tool }),
    ...(failed === 1 && { failed: true }),
    ...(has_text === 1 && { hasText: true }),
  };
}
