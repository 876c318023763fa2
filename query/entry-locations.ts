import type { TextPart } from "../src/session/text.ts";
import type { LocationRow } from "../src/store/entry-reads.ts";
import type { Position } from "../src/store/position.ts";
import type { Store } from "../src/store/store.ts";
import type { HitLocation, ScanHit } from "./answers.ts";
import { comparePreference, groupCopies } from "./copies.ts";
import { toIsoTime } from "./iso-time.ts";

/**
 * Returns the locations of entries: each entry's own and those of its copies, the preferred one first. The result also contains
 * entries for the copies, which were compared anyway.
 */
export async function readLocationsWithCopies(
  store: Store,
  positions: readonly Position[],
): Promise<Map<Position, LocationRow[]>> {
  const rows = await (await store.entries()).getLocations(positions, { copies: true });
  const groups = groupCopies(rows).map((group) => group.sort(comparePreference));
  return new Map(
    groups.flatMap((group) => group.map(({ position }): [Position, LocationRow[]] => [position, group])),
  );
}

/** Converts a row to a location in an answer. */
function toHitLocation({ path, session_id, line, byte_offset, current }: LocationRow): HitLocation {
  return { path, sessionId: session_id, line, byteOffset: byte_offset, onCurrentBranch: current === 1 };
}

/** Finds the locations of entries that come one at a time, and skips copies of earlier entries. */
export class DistinctLocations {
  readonly #store: Store;
  /** Locations of entries that have not come yet: a file may repeat an entry thousands of times. */
  readonly #ahead = new Map<Position, LocationRow[]>();
  readonly #returned = new WeakSet<LocationRow[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns the locations of an entry; undefined for a copy of an earlier one, or if a sync removed the entry. */
  async next(position: Position): Promise<LocationRow[] | undefined> {
    if (!this.#ahead.has(position)) {
      for (const [each, places] of await readLocationsWithCopies(this.#store, [position])) {
        this.#ahead.set(each, places);
      }
    }
    const places = this.#ahead.get(position);
    this.#ahead.delete(position);
    if (!places || this.#returned.has(places)) return undefined;
    this.#returned.add(places);
    return places;
  }
}

/** The names in results of the parts of an entry's text. */
export const HIT_PARTS = {
  said: "message",
  thought: "thinking",
  called: "call",
  output: "output",
} as const satisfies Record<TextPart, ScanHit["part"]>;

/** Builds the fields that all hits have: the entry, its location, and its copies. */
export function toBaseHit(
  row: LocationRow,
  places: readonly LocationRow[],
): Omit<ScanHit, "part" | "snippet" | "matchCount"> {
  const { path, sessionId, line, byteOffset, onCurrentBranch } = toHitLocation(row);
  return {
    path,
    sessionId,
    entryId: row.entry_id,
    line,
    byteOffset,
    type: row.type,
    role: row.role ?? undefined,
    timestamp: toIsoTime(row.timestamp),
    onCurrentBranch,
    alsoIn: toOtherLocations(row.position, places),
  };
}

/** The locations of an entry except the one at this position. */
export function toOtherLocations(position: Position, places: readonly LocationRow[]): HitLocation[] {
  return places.filter((place) => place.position !== position).map(toHitLocation);
}
