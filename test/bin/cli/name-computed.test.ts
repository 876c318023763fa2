import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { cellsOf, pidexAt } from "../cli.ts";

test("pidex name --computed keeps titles as names, and changes no session that has one", async () => {
  const root = temporaryFolder();
  const till = session({ id: "till" }).user("Raise the tax").assistant("", { stopReason: "aborted" });
  const named = session({ id: "named" }).user("Lower the tax").name("Mine");
  const empty = session({ id: "empty" });
  const [tillPath, namedPath] = [till, named, empty].map((each) => each.writeUnder(root)) as [string, string];
  const before = [tillPath, namedPath].map((path) => readFileSync(path, "utf8"));
  const run = pidexAt(root, root);

  const dry = await run(["name", "till", "named", "--computed", "--dry-run"]);
  expect(cellsOf(dry.out).map(([path]) => path)).toEqual([tillPath]);
  expect([tillPath, namedPath].map((path) => readFileSync(path, "utf8"))).toEqual(before);

  const { err } = await run(["name", "till", "named", "empty", "--computed"]);
  expect(err).toContain('"Mine" (named) already has a name');
  expect(err).toContain("(empty) has no message to compute a title from");
  expect(readFileSync(namedPath, "utf8")).toBe(before[1]);
  expect(JSON.parse(readFileSync(tillPath, "utf8").trim().split("\n").at(-1) as string)).toMatchObject({
    type: "session_info",
    name: "Raise the tax", // without the outcome
  });
  expect((await run(["name", "till", "--computed", "--clear"])).err).toContain(
    "--computed conflicts with --clear",
  );
});
