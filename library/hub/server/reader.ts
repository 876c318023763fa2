import type { Pool } from "pg";
import type { Caller } from "../../../src/store/postgres/people.ts";
import { getReaderShelves, type ReaderShelves } from "../../../src/store/postgres/shelves.ts";

/** Who asks a hub, and the shelves that they have something to do with. */
export type Reader = ReaderShelves;

/** The owner of the machine that sent a request, as a reader. */
export function findReader(pool: Pool, { person }: Caller): Promise<Reader> {
  return getReaderShelves(pool, person);
}

/** The shelves of the team's projects with sessions that a reader may see. */
export function getReadableProjects({ role, projects }: Reader): number[] {
  return role === "owner" || role === "member" ? projects.map(({ shelf }) => shelf) : [];
}

/** All shelves with sessions that a reader may see. */
export function getReadableShelves(reader: Reader): number[] {
  return [reader.own, ...getReadableProjects(reader)];
}
