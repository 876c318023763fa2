import { expect, test } from "vitest";
import { PidexError } from "../src/errors.ts";
import { SessionChangedError } from "../src/session/writing/session-file.ts";

test.each([
  ["PidexError", new PidexError("NOT_FOUND", "no session", "Run pidex list.")],
  ["SessionChangedError", new SessionChangedError("a.jsonl", "was deleted")],
])("%s is named as JavaScript's own errors are", (name, error) => {
  expect(error.name).toBe(name);
  expect(Object.keys(error)).toEqual(["code", "hint"]);
  expect(String(error)).toMatch(new RegExp(`^${name}: `));
  expect(error.stack).toMatch(new RegExp(`^${name}: `));
  expect(Object.hasOwn(error, "cause")).toBe(false);
});

test("a cause that is undefined is no property", () => {
  const error = new PidexError("NOT_FOUND", "no session", "Run pidex list.", { cause: undefined });
  expect(Object.hasOwn(error, "cause")).toBe(false);
  const cause = new Error("ENOENT");
  expect(new PidexError("NOT_FOUND", "no session", "Run pidex list.", { cause }).cause).toBe(cause);
});
