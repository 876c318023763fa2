import type { Statement } from "better-sqlite3";
import type { EntryId } from "../src/session/entries.ts";
import { ATTRIBUTION, type Attribution } from "../src/store/schema.ts";
import { type OwnerRank, ownerOrderTerms } from "../src/store/sqlite/owner-order.ts";
import { INSERT_EVENT, REPORTED_COLUMNS } from "../src/store/sqlite/reported-figures.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";
import type { EventFigures } from "./event-figures.ts";
import type { EventOccurrence } from "./group-by-event.ts";
import type { LineageHeader } from "./lineages.ts";
import { ATTRIBUTED_EVENT_COLUMNS, type AttributedEvent } from "./run-rows.ts";

/** An occurrence, with everything that identifies its billable event. */
export type StoredOccurrence = AttributedEvent & EventOccurrence & OwnerRank;

/** A model response with figures that another entry may correct. */
interface StoredResponse extends AttributedEvent, EventFigures {
  key: bigint | null;
  provider: string;
  model: string;
  textHash: number | null;
  entryId: EntryId | null;
}

/** The statements of the ledger itself. Like everywhere in `rows.ts`, none is a REPLACE or an upsert. */
export interface LedgerStatements {
  insertEvent: Statement<unknown[]>;
  setAttribution: Statement<[Attribution, number, number]>;
  setFigures: Statement<unknown[]>;
  /** Whether the event of a key has an owner. Runs for every event: a covering index, without joins. */
  isOwned: Statement<[bigint], 1>;
  ownerOf: Statement<[bigint], StoredOccurrence>;
  anyOccurrenceOf: Statement<[bigint], StoredOccurrence>;
  earliestOf: Statement<[bigint], StoredOccurrence>;
  /** The occurrences of a key, earliest first. */
  occurrencesOf: Statement<[bigint], StoredOccurrence>;
  /** The keys in a file that other files have too. */
  sharedKeysIn: Statement<[{ file: number }], bigint>;
  /** Those of them whose attribution may change if the file is deleted: deleting a copy doesn't change its owner. */
  ownedSharedKeysIn: Statement<[{ file: number }], bigint>;
  responsesAt: (file: number, id: EntryId) => StoredResponse[];
  headerOf: Statement<[number], LineageHeader & { created: number | null }>;
  pathOf: Statement<[number], string>;
  /** The time of a file's last message with a time, in Unix milliseconds. */
  lastMessageTime: (file: number) => number | null;
}

export function prepareLedgerStatements(db: StatementPreparer): LedgerStatements {
  // `+?`: with `?` alone SQLite prepares a join again for each value, which takes ten times as long as running it.
  const occurrences = `SELECT ${ATTRIBUTED_EVENT_COLUMNS}, session.created, file.path, file.version,
       entry.entry_id AS entryId, entry.text_hash AS textHash
     FROM event CROSS JOIN file ON file.id = event.file_id CROSS JOIN entry ON entry.id = event.entry
       LEFT JOIN session ON session.file_id = file.id
     WHERE event.key = +?`;
  // Within a file, row ids are in line order.
  const earliestFirst = `ORDER BY ${ownerOrderTerms("session", "file")}, event.entry, event.ordinal`;
  // DISTINCT, because a file may contain an event a thousand times.
  const sharedKeys = (condition: string) =>
    db
      .prepare<{ file: number }, bigint>(
        `SELECT key FROM (SELECT DISTINCT key FROM event WHERE file_id = +@file AND key IS NOT NULL AND ${condition}) AS mine
         WHERE EXISTS (SELECT 1 FROM event AS copy WHERE copy.key = mine.key AND copy.file_id <> +@file)`,
      )
      .pluck()
      .safeIntegers();
  const responses = db
    .prepare<{ file: number; id: EntryId }, Omit<StoredResponse, "textHash"> & { textHash: bigint | null }>(
      `SELECT ${ATTRIBUTED_EVENT_COLUMNS}, event.key, model.provider, model.model, entry.text_hash AS textHash, entry.entry_id AS entryId,
         input, output, cache_read AS cacheRead, cache_write AS cacheWrite, cache_write_1h AS cacheWrite1h, reasoning, cost,
         provider_cost AS providerCost
       FROM entry CROSS JOIN event ON event.entry = entry.id CROSS JOIN model ON model.id = event.model_id
       WHERE entry.entry_id = @id AND entry.file_id = @file AND event.kind = 'assistant'`,
    )
    .safeIntegers();
  const lastMessageTime = db
    .prepare<[number], number | null>(
      `SELECT timestamp FROM entry WHERE file_id = ? AND type = 'message' AND timestamp IS NOT NULL
       ORDER BY id DESC LIMIT 1`,
    )
    .pluck();

  return {
    insertEvent: db.prepare(INSERT_EVENT),
    setAttribution: db.prepare<[Attribution, number, number]>(
      "UPDATE event SET attribution = ? WHERE entry = ? AND ordinal = ?",
    ),
    setFigures: db.prepare(
      `UPDATE event SET key = ?, attribution = ?, instance = 0, context = ?, ${REPORTED_COLUMNS.map((name) => `${name} = ?`).join(", ")}
       WHERE entry = ? AND ordinal = ?`,
    ),
    isOwned: db
      .prepare<[bigint], 1>(
        `SELECT 1 FROM event WHERE key = ? AND attribution = ${ATTRIBUTION.owner} LIMIT 1`,
      )
      .pluck(),
    ownerOf: db.prepare<[bigint], StoredOccurrence>(
      `${occurrences} AND event.attribution = ${ATTRIBUTION.owner} LIMIT 1`,
    ),
    anyOccurrenceOf: db.prepare<[bigint], StoredOccurrence>(`${occurrences} LIMIT 1`),
    earliestOf: db.prepare<[bigint], StoredOccurrence>(`${occurrences} ${earliestFirst} LIMIT 1`),
    occurrencesOf: db.prepare<[bigint], StoredOccurrence>(`${occurrences} ${earliestFirst}`),
    sharedKeysIn: sharedKeys("TRUE"),
    ownedSharedKeysIn: sharedKeys(
      `(attribution <> ${ATTRIBUTION.duplicate} OR kind = 'subagent' OR key IN (SELECT key FROM contested_key WHERE file_id = +@file))`,
    ),
    responsesAt: (file: number, id: EntryId): StoredResponse[] =>
      responses.all({ file, id }).map(withNumbers),
    headerOf: db.prepare<[number], LineageHeader & { created: number | null }>(
      "SELECT id, parent_session, created FROM session WHERE file_id = ?",
    ),
    pathOf: db.prepare<[number], string>("SELECT path FROM file WHERE id = ?").pluck(),
    lastMessageTime: (file: number): number | null => lastMessageTime.get(file) ?? null,
  };
}

/** Converts a row read with safe integers to numbers, except its key. */
function withNumbers({
  key,
  ...row
}: Omit<StoredResponse, "textHash"> & { textHash: bigint | null }): StoredResponse {
  const numbers = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === "bigint" ? Number(value) : value,
  ]);
  return { ...Object.fromEntries(numbers), key };
}
