import fc from "fast-check";
import { expect, test } from "vitest";
import { CachedFiles } from "../../indexer/cached-files.ts";

/** A file's packed row, identified by its id. */
const textOf = (id: number): string => `0:0 1 2 3 0 5 ${id} 1`;

const path = fc.integer({ min: 0, max: 400 }).map((n) => `/${n}`);
const file = fc.option(fc.nat(), { nil: undefined, freq: 4 });
const changes = fc.array(fc.tuple(path, file), { maxLength: 60 });

/** All files, read through each method. */
function all(files: CachedFiles): [string, number][] {
  const ids = [...files.values()].map((each): [string, number] => [each.path, each.id]).sort();
  expect(files.size).toBe(ids.length);
  expect(ids.every(([path, id]) => files.has(path) && files.get(path)?.id === id)).toBe(true);
  expect(files.has("/never")).toBe(false);
  return ids;
}

test("changed files equal those of a map, and earlier snapshots stay unchanged", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(path, fc.nat()), { maxLength: 60 }),
      fc.array(changes, { maxLength: 8 }),
      (first, steps) => {
        const map = new Map(first);
        let files = new CachedFiles(new Map(first.map(([path, id]) => [path, textOf(id)])));
        for (const step of steps) {
          const before = all(files);
          const next = files.with(
            new Map(step.map(([path, id]) => [path, id === undefined ? id : textOf(id)])),
          );
          for (const [path, id] of step) {
            if (id === undefined) map.delete(path);
            else map.set(path, id);
          }
          expect(all(next)).toEqual([...map].sort());
          expect(all(files)).toEqual(before);
          files = next;
        }
      },
    ),
  );
});
