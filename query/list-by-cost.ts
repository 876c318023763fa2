import type { ListedSessionRow, SessionPage, SessionPosition } from "../src/store/session-reads.ts";
import type { Store } from "../src/store/store.ts";

/**
 * A page of sessions by their cost, as `SessionReads.list` returns pages. Costs are sums of the ledger, not a column of sessions, so
 * all sessions that satisfy the condition are sorted here.
 */
export async function listByCost(
  store: Store,
  { condition, order, pinnedFirst, limit, after }: Omit<SessionPage, "sort">,
): Promise<ListedSessionRow[]> {
  const costs = await (await store.usage()).sessionCosts();
  const files = await store.sessions.findFiles(condition);
  const pins: SessionPage["condition"] = { kind: "flag", flag: "pinned", value: true };
  const pinned = new Set(
    pinnedFirst ? await store.sessions.findFiles({ kind: "all", of: [condition, pins] }) : [],
  );
  // Without a recorded cost, a session is last in both orders.
  const none = order === "newest" ? 0 : Number.MAX_SAFE_INTEGER;
  const toPosition = (file: number, value: number) => ({ pinned: pinned.has(file) ? 1 : 0, value, file });
  const sign = order === "newest" ? -1 : 1;
  const compare = (a: Position, b: Position) =>
    b.pinned - a.pinned || sign * (a.value - b.value || a.file - b.file);
  const sorted = files.map((file) => toPosition(file, costs.get(file) || none)).sort(compare);
  const last = after && { ...after, pinned: pinnedFirst ? after.pinned : 0, value: Number(after.value) };
  const left = last ? sorted.filter((position) => compare(position, last) > 0) : sorted;
  const page = limit === undefined ? left : left.slice(0, limit + 1);
  const rows = await store.sessions.get(page.map(({ file }) => file));
  const byFile = new Map(rows.map((row) => [row.file_id, row]));
  return page.flatMap(({ file, value }) => {
    const row = byFile.get(file);
    return row ? [{ ...row, sort_value: value }] : [];
  });
}

type Position = SessionPosition & { value: number };
