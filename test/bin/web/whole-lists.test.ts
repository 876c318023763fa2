import { expect, test } from "vitest";
import type { Change } from "../../../bin/web/api/answers.ts";
import { WholeLists } from "../../../bin/web/server/whole-lists.ts";
import { session } from "../../../fixtures/builder.ts";
import { indexed } from "../../query/opened.ts";

test("whole lists are kept until a session changes, however they are asked for in between", async () => {
  const { index } = await indexed(session({}).user("the till"));
  const listeners: ((change: Change) => void)[] = [];
  const lists = new WholeLists(index, {
    listen: (listener) => {
      listeners.push(listener);
      return () => {};
    },
  });
  const tell = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  const first = lists.of({ archived: "no", pinnedFirst: true });
  void lists.of({ named: true });
  expect(lists.of({ pinnedFirst: true, archived: "no" })).toBe(first);
  tell({ kind: "synced", changed: false });
  expect(lists.of({ pinnedFirst: true, archived: "no" })).toBe(first);
  tell({ kind: "synced", changed: true });
  expect(lists.of({ pinnedFirst: true, archived: "no" })).not.toBe(first);
  expect(await lists.of({ pinnedFirst: true, archived: "no" })).toEqual(await first);
});

test("no more than a few whole lists are kept", async () => {
  const { index } = await indexed(session({}).user("the till"));
  const lists = new WholeLists(index, { listen: () => () => {} });
  const first = lists.of({ title: "first" } as object);
  await first.catch(() => {}); // there is no such option: what failed is asked anew
  expect(lists.of({ title: "first" } as object)).not.toBe(first);
  const oldest = lists.of({ named: true });
  for (const project of ["a", "b", "c"]) void lists.of({ project });
  expect(lists.of({ named: true })).not.toBe(oldest);
});
