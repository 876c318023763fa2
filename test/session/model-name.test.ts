import { expect, test } from "vitest";
import { splitModelName } from "../../src/session/model-name.ts";

test.each<[string | undefined, string | undefined, string | undefined, string | undefined]>([
  ["anthropic/claude-x", undefined, "anthropic", "claude-x"],
  ["openrouter/anthropic/claude-x", undefined, "openrouter", "anthropic/claude-x"],
  ["openrouter/anthropic/claude-x:free", "", "openrouter", "anthropic/claude-x:free"],
  ["anthropic/claude-x", "openrouter", "openrouter", "anthropic/claude-x"],
  ["claude-x", "anthropic", "anthropic", "claude-x"],
  ["claude-x", undefined, undefined, "claude-x"],
  ["/claude-x", undefined, undefined, "claude-x"],
  ["anthropic/", undefined, "anthropic", ""],
  ["", undefined, undefined, ""],
  [undefined, "anthropic", "anthropic", undefined],
  [undefined, undefined, undefined, undefined],
])("%j of %j: %j, %j", (written, named, provider, model) => {
  expect(splitModelName(written, named)).toEqual({ provider, model });
});
