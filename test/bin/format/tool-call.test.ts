import { expect, test } from "vitest";
import { getMainArgument } from "../../../bin/format/tool-call.ts";

test.each([
  [{ command: "ls", timeout: 3 }, "ls"],
  [{ agent: "worker", task: "Use the parser" }, "worker: Use the parser"],
  [{ task: "Use the parser", cwd: "/w" }, "Use the parser"],
  [{ limit: 3 }, '{"limit":3}'],
])("%o", (args, text) => {
  expect(getMainArgument(args, undefined)).toEqual({ text, isPath: false });
});
