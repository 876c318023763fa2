import { expect, test } from "vitest";
import { SessionLists } from "../../../bin/actions/find-sessions.ts";
import { session } from "../../../fixtures/builder.ts";
import { indexed } from "../../query/opened-queries.ts";

test("complete lists are cached until cleared, in any order of options", async () => {
  const { index } = await indexed(session({}).user("the till"));
  const lists = new SessionLists(index, (session) => session);
  const first = lists.list({ archived: "no", pinnedFirst: true });
  void lists.list({ named: true });
  expect(lists.list({ pinnedFirst: true, archived: "no" })).toBe(first);
  lists.clear();
  expect(lists.list({ pinnedFirst: true, archived: "no" })).not.toBe(first);
  expect(await lists.list({ pinnedFirst: true, archived: "no" })).toEqual(await first);
});

test("only a few complete lists are cached", async () => {
  const { index } = await indexed(session({}).user("the till"));
  const lists = new SessionLists(index, (session) => session);
  const first = lists.list({ title: "first" } as object);
  await first.catch(() => {}); // no such option: a failed import is repeated
  expect(lists.list({ title: "first" } as object)).not.toBe(first);
  const oldest = lists.list({ named: true });
  for (const project of ["a", "b", "c"]) void lists.list({ project });
  expect(lists.list({ named: true })).not.toBe(oldest);
});
