/** Records of sessions that are not accepted again. Their keys are in library/hub/forgotten-keys.ts. */
import type { ClientBase } from "pg";

type Database = Pick<ClientBase, "query">;

/** First key of the advisory locks of these records; the second one is the person. */
const LOCK = 7435;

/** The key of a deleted session of a person, as hex digits. */
export interface ForgottenKey {
  person: number;
  key: string;
}

/** A session to record. */
export interface ForgottenSession extends ForgottenKey {
  /** Whether it was on the person's private shelf. */
  isPrivate: boolean;
}

/**
 * Adds records, after the transactions that are about to commit lines of these people. Records that exist keep their time.
 *
 * @param by the id of the person who deletes the sessions
 */
export async function addForgotten(
  client: ClientBase,
  sessions: readonly ForgottenSession[],
  by: number,
): Promise<void> {
  // In order, so that two of these transactions cannot wait for each other.
  for (const person of [...new Set(sessions.map(({ person }) => person))].sort((a, b) => a - b)) {
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK}, $1)`, [person]);
  }
  await client.query(
    `INSERT INTO forgotten (person, key, private, time, forgotten_by)
       SELECT person, decode(key, 'hex'), max(private), $4, $5
       FROM unnest($1::integer[], $2::text[], $3::smallint[]) AS added (person, key, private) GROUP BY person, key
     ON CONFLICT (person, key) DO UPDATE SET private = greatest(forgotten.private, excluded.private)`,
    [
      ...[sessions.map(({ person }) => person), sessions.map(({ key }) => key)],
      ...[sessions.map(({ isPrivate }) => (isPrivate ? 1 : 0)), Date.now(), by],
    ],
  );
}

/** Whether one of the keys of a person is recorded. No record is added before the end of the transaction. */
export async function isForgotten(
  client: ClientBase,
  person: number,
  keys: readonly string[],
): Promise<boolean> {
  const [, { rows }] = await Promise.all([
    // In a statement of its own: the next one sees the records that this one waited for.
    client.query({
      name: "lock forgotten",
      text: `SELECT pg_advisory_xact_lock_shared(${LOCK}, $1)`,
      values: [person],
    }),
    client.query({
      name: "is forgotten",
      text: "SELECT 1 FROM forgotten WHERE person = $1 AND key = ANY ($2)",
      values: [person, keys.map((key) => Buffer.from(key, "hex"))],
    }),
  ]);
  return rows.length > 0;
}

/** The keys of a person, as hex digits. */
export async function listForgotten(db: Database, person: number): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>({
    name: "forgotten",
    text: "SELECT encode(key, 'hex') AS key FROM forgotten WHERE person = $1 ORDER BY key",
    values: [person],
  });
  return rows.map(({ key }) => key);
}

/**
 * Deletes records.
 *
 * @param by who does it: of other people, only records of sessions that were not private
 * @returns those that were there, with the name of their person
 */
export async function deleteForgotten(
  client: ClientBase,
  keys: readonly ForgottenKey[],
  by: number,
): Promise<(ForgottenSession & { name: string })[]> {
  const { rows } = await client.query(
    `DELETE FROM forgotten USING person, unnest($1::integer[], $2::text[]) AS deleted (person, key)
     WHERE forgotten.person = deleted.person AND forgotten.key = decode(deleted.key, 'hex') AND person.id = forgotten.person
       AND (forgotten.person = $3 OR private = 0)
     RETURNING forgotten.person, deleted.key, private = 1 AS "isPrivate", person.name`,
    [keys.map(({ person }) => person), keys.map(({ key }) => key), by],
  );
  return rows;
}
