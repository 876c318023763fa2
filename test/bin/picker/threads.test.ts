import fc from "fast-check";
import { expect, test } from "vitest";
import { toThreads } from "../../../bin/picker/service/threads.ts";
import { sampleSession } from "./sample-state.ts";

const forked = (name: string, parent?: string, modified = 0) =>
  sampleSession({ path: `/${name}`, name, modified, ...(parent && { parentSessionPath: `/${parent}` }) });
const drawn = (...sessions: ReturnType<typeof forked>[]) =>
  toThreads(sessions).map(({ session, branchLines }) => `${branchLines}${session.name}`);

test("threads are ordered by their newest session, and so are the forks of a session", () => {
  expect(
    drawn(
      forked("deepest", "deep"),
      forked("new", "root"),
      forked("z"),
      forked("deep", "old"),
      forked("deeper", "new"),
      forked("root"),
      forked("y"),
      forked("old", "root"),
    ),
  ).toEqual(["root", "├─ old", "│  └─ deep", "│     └─ deepest", "└─ new", "   └─ deeper", "z", "y"]);
});

test("a fork whose parent is missing is listed separately", () => {
  expect(drawn(forked("orphan", "gone"), forked("other"))).toEqual(["orphan", "other"]);
});

test("sessions that are their own or each other's parents are listed separately, with their other forks below them", () => {
  expect(drawn(forked("self", "self"))).toEqual(["self"]);
  expect(drawn(forked("a", "b"), forked("b", "a"), forked("c", "a")).sort()).toEqual(
    expect.arrayContaining(["a", "b"]),
  );
});

test("every session is listed once, below its parent unless the two form a cycle", () => {
  const family = fc.array(fc.record({ parent: fc.integer({ min: -1, max: 14 }), modified: fc.nat(5) }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(family, (all) => {
      const sessions = all.map(({ parent, modified }, n) =>
        forked(String(n), parent < 0 ? undefined : String(parent), modified),
      );
      const lines = toThreads(sessions);
      expect(lines.map(({ session }) => session.path).sort()).toEqual(
        sessions.map(({ path }) => path).sort(),
      );
      const at = new Map(lines.map(({ session }, n) => [session.path, n]));
      const stems = lines.map(({ branchLines }) => branchLines);
      lines.forEach(({ session, branchLines }, n) => {
        const depth = branchLines.length / 3;
        const parent = at.get(session.parentSessionPath ?? "");
        if (depth > 0) {
          expect(parent).toBeLessThan(n);
          expect((stems[parent as number] as string).length / 3).toBe(depth - 1);
        }
      });
    }),
  );
});

test("draws 1,500 nested forks", () => {
  const chain = Array.from({ length: 1500 }, (_, n) =>
    forked(String(n), n === 0 ? undefined : String(n - 1)),
  );
  expect(toThreads(chain).at(-1)?.branchLines).toHaveLength(3 * 1499);
});
