import { describe, expect, test } from "vitest";
import { toolCall } from "../../fixtures/blocks.ts";
import { extract } from "../../indexer/extract.ts";
import { parseEntry } from "../../src/session/parse.ts";
import { FRESH_SAMPLES, TOUCH_SAMPLES, type TouchSample } from "./touch-samples.ts";

const at = { byteOffset: 0, line: 2 };

/** The touches that pidex finds in a tool call, as `action path`, relative to the working directory if below it. */
function found({ tool, args, cwd = "/w" }: TouchSample): string[] {
  const content = [toolCall("c", tool, args)];
  const entry = parseEntry({ type: "message", id: "a", message: { role: "assistant", content } }, at).value;
  const below = cwd + (cwd.includes("\\") ? "\\" : "/");
  return extract(entry, at, cwd).touches.map(
    ({ action, path }) => `${action} ${path.startsWith(below) ? path.slice(below.length) : path}`,
  );
}

describe.each([
  ["the calls that the detector was improved with", TOUCH_SAMPLES],
  ["calls that were written after that", FRESH_SAMPLES],
])("touched files of %s", (_, samples) => {
  test.each(samples.map((sample) => [sample.tool, JSON.stringify(sample.args), sample] as const))(
    "%s %s",
    (_tool, _args, sample) => {
      const expected = sample.touches.filter((touch) => !sample.missed?.touches.includes(touch));
      expect(found(sample).sort()).toEqual(expected.sort());
    },
  );
});
