import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type EventOccurrence,
  type FileRelations,
  groupByEvent,
  hasStableId,
} from "../../indexer/group-by-event.ts";

const place = (file_id: number, entryId: EventOccurrence["entryId"], version = 3): EventOccurrence => ({
  file_id,
  entryId,
  version,
  textHash: 1,
});
const ofOneFamily: FileRelations = { familyOf: () => 1, haveSeparateIds: () => false };

test("a text that occurs 50,000 times in a session and in its fork is 50,000 events", () => {
  const count = 50_000; // comparing each with each would take minutes
  const inFile = (file: number, name: string) =>
    Array.from({ length: count }, (_, n) => place(file, name + n));
  const session = inFile(1, "a");
  expect(groupByEvent([...session, ...inFile(2, "a")], ofOneFamily)).toHaveLength(count);
  expect(groupByEvent([...session, ...inFile(2, "b")], ofOneFamily)).toHaveLength(2 * count);
  const upgraded = { ...ofOneFamily, haveSeparateIds: () => true };
  expect(groupByEvent([...session, ...inFile(2, "b")], upgraded)).toHaveLength(count);
});

/** The same result, by comparing each line with each event. */
function plainly(
  places: readonly EventOccurrence[],
  { familyOf, haveSeparateIds }: FileRelations,
): EventOccurrence[][] {
  const acts: EventOccurrence[][] = [];
  for (const [file, inFile] of Map.groupBy(places, ({ file_id }) => file_id)) {
    const lines = [...Map.groupBy(inFile, ({ entryId }) => entryId).values()];
    const isOpen = (act: EventOccurrence[]) => act.every(({ file_id }) => file_id !== file);
    const rest = lines.filter((copies) => {
      const [line] = copies as [EventOccurrence];
      const isLine = (other: EventOccurrence) => hasStableId(other) && other.entryId === line.entryId;
      const act = hasStableId(line) ? acts.find((each) => isOpen(each) && each.some(isLine)) : undefined;
      act?.push(...copies);
      return !act;
    });
    for (const copies of rest) {
      const [line] = copies as [EventOccurrence];
      const act = acts.find((each) => {
        const relatives = each.filter(({ file_id }) => familyOf(file_id) === familyOf(file));
        const mayBeLine = (other: EventOccurrence) =>
          !hasStableId(other) || haveSeparateIds(file, other.file_id);
        return isOpen(each) && relatives.length > 0 && (!hasStableId(line) || relatives.every(mayBeLine));
      });
      if (act) act.push(...copies);
      else acts.push([...copies]);
    }
  }
  return acts;
}

test("occurrences are grouped as if each were compared with every event", () => {
  const id = fc.oneof(fc.constantFrom("a", "b", "c", 1, "1"), fc.constant(null));
  const files = fc.array(fc.record({ version: fc.constantFrom(1, 3), ids: fc.array(id, { maxLength: 5 }) }), {
    maxLength: 6,
  });
  const relations = fc.record({
    families: fc.integer({ min: 1, max: 3 }),
    upgrades: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(files, relations, (sessions, { families, upgrades }) => {
      const places = sessions.flatMap(({ version, ids }, file) =>
        ids.map((each) => place(file, each, version)),
      );
      const known: FileRelations = {
        familyOf: (file) => file % families,
        haveSeparateIds: (file, other) => file % upgrades !== other % upgrades,
      };
      expect(groupByEvent(places, known)).toEqual(plainly(places, known));
    }),
    { numRuns: 2000 },
  );
});
