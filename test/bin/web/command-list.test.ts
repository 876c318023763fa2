import { expect, test } from "vitest";
import { COMMANDS, type CommandView } from "../../../bin/web/page/shell/commands.ts";

const VIEWS: readonly CommandView[] = ["sessions", "session", "trash", "everywhere"];

test.each(VIEWS)("in %s, each key has one command", (view) => {
  // The keys of the search field work only there.
  const keys = COMMANDS.filter((each) => each.views.includes(view) && !each.isNative).flatMap(
    (each) => each.keys,
  );
  expect(keys.length).toBeGreaterThan(3);
  expect(keys).toEqual([...new Set(keys)]);
});

test.each(VIEWS)("in %s, each command is listed once", (view) => {
  const ids = COMMANDS.filter((each) => each.views.includes(view)).map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});

test("a line of the help for two commands is about those of the same views", () => {
  const pairs = COMMANDS.flatMap((command, n) =>
    command.both === undefined ? [] : [[command, COMMANDS[n + 1]]],
  );
  expect(pairs.length).toBeGreaterThan(5);
  for (const [first, second] of pairs) expect(second?.views).toEqual(first?.views);
});
