import { ATTRIBUTION, zeroSums } from "../schema.ts";
import { sql } from "../sql.ts";
import type { CopiedUsage } from "../usage-reads.ts";
import type { Reader } from "./reader.ts";
import { inScope } from "./scope.ts";
import type { Correction, ScopedLedger } from "./scoped-ledger.ts";
import { sumEvents } from "./sum-events.ts";

/** The usage of the events that a session only has copies of. */
export async function readCopiedUsage(
  db: Reader,
  ledger: ScopedLedger,
  file: number,
  subagents: ReadonlySet<number>,
): Promise<CopiedUsage> {
  const copies = await copiesIn(db, ledger, file);
  const sums = zeroSums();
  await sumEvents(db, copies, correctionsOf(copies), { subagents, target: () => () => () => sums });
  const costs = new Map<number, number>();
  for (const { owner, cost } of copies) costs.set(owner, (costs.get(owner) ?? 0) + cost);
  return { sums, costs };
}

interface Copy {
  entry: number;
  ordinal: number;
  /** The owner's file. */
  owner: number;
  /** The cost counted at the owner, in nano-dollars. */
  cost: number;
  difference: Correction["difference"] | undefined;
}

/**
 * The copies in a session of events that other sessions of the scope own, one for each event. A duplicate line in the same
 * file is not inherited. Events that were reattributed in this scope own their copies too, whatever the index says.
 */
async function copiesIn(
  db: Reader,
  { scope, reattributed, corrections }: ScopedLedger,
  fileId: number,
): Promise<Copy[]> {
  const locations = JSON.stringify(reattributed.map(({ entry, ordinal }) => [entry, ordinal]));
  const isReattributed = sql`(owner.entry, owner.ordinal) IN
    (SELECT value ->> 0, value ->> 1 FROM json_each(${locations}))`;
  const { rows } = await sql<Omit<Copy, "difference"> & { ownerEntry: number; ownerOrdinal: number }>`
    SELECT min(event.entry) AS entry, event.ordinal, owner.file_id AS owner, owner.cost,
      owner.entry AS ownerEntry, owner.ordinal AS ownerOrdinal
    FROM event CROSS JOIN event AS owner ON owner.key = event.key AND owner.instance = event.instance
      CROSS JOIN file ON file.id = owner.file_id
    WHERE event.file_id = ${fileId} AND event.attribution <> ${ATTRIBUTION.owner} AND owner.file_id <> event.file_id
      AND (owner.attribution = ${ATTRIBUTION.owner} OR ${isReattributed}) AND ${inScope(scope)}
    GROUP BY event.key, event.instance`.execute(db);
  const differences = new Map(
    corrections.map(({ entry, ordinal, difference }) => [`${entry}:${ordinal}`, difference]),
  );
  return rows.map(({ ownerEntry, ownerOrdinal, ...copy }) => {
    const difference = differences.get(`${ownerEntry}:${ownerOrdinal}`);
    return { ...copy, cost: copy.cost + (difference?.cost ?? 0), difference };
  });
}

/** The corrections of the owners' figures, for the copies. */
function correctionsOf(copies: readonly Copy[]): Correction[] {
  return copies.flatMap(({ entry, ordinal, difference }) =>
    difference ? [{ entry, ordinal, difference }] : [],
  );
}
