import { describe, expect, test } from "vitest";
import { extractRequest } from "../../../src/session/titles/extract-request.ts";

const SKILL =
  '<skill name="pdf" location="/skills/pdf/SKILL.md">\nRead the PDF. Add a page.\n\n<b>\n/them\n</skill>';
const TRACE = "TypeError: x is not a function\n    at foo (/srv/a.js:1:2)\n    at node:internal/main:1:2";
const PASTE = `${TRACE}\n\nNode.js v22.14.0`;

describe("a specific request", () => {
  test.each([
    ["fix the tax", "fix the tax"],
    ["Hi! Could you please fix the tax? Thanks a lot!", "fix the tax"],
    ["fix the `tax` in **both** [shops](https://shop.test/a)", "fix the tax in both shops"],
    [`${SKILL}\n\nthe invoice`, "the invoice"],
    ['<file name="/a/b.ts">\nexport const a = 1;\n</file>\nwhy is the tax 0?', "why is the tax 0?"],
    ["<context>\nBranch: main\n</context>\n<user_request>\nraise the tax\n</user_request>", "raise the tax"],
    [`${PASTE}\n\nthe till shows this`, "the till shows this"],
    [`the till shows this:\n\n${PASTE}`, "the till shows this"],
    [`fix this:\n\n${PASTE}`, "TypeError: x is not a function"],
    ["```\nconst a = 1;\n```\nwhy is the tax 0?", "why is the tax 0?"],
    ["```\nconst tax = 1;", "const tax = 1"],
    ["The till shows 0. Please find out why.", "The till shows 0."],
    ["We see this since Friday. Make sure the tax is a number.", "Make sure the tax is a number."],
    ["read docs/tax.md in full. we still need to port the till to rust", "port the till to rust"],
    ["# Handoff\n\n## Done\n- the tax of all shops\n\n## Next steps\n\nPort the till.", "Port the till."],
    ["Implement this plan:\n\n# Split the parser\n\n## Context\nIt is long.", "Split the parser"],
    [
      "# AGENTS.md instructions for /a\n\n<INSTRUCTIONS>\nUse pnpm.\n</INSTRUCTIONS>\n\nraise the tax",
      "raise the tax",
    ],
    ["- raise the tax\n- lower the freight", "raise the tax"],
    ["@src/till/tax.ts raise it", "tax.ts raise it"],
    [
      "Read @src/till/tax.ts in full. Please untangle the rounding in this.",
      "untangle the rounding in this · tax.ts",
    ],
    ["/home/ada/tax.ts is wrong", "/home/ada/tax.ts is wrong"],
    ["see https://www.shop.test/a/b?utm=1#c", "see shop.test/a/b"],
    ["書店の検索が遅い。直してください。", "書店の検索が遅い。"],
    ["a\u0000b\u001b[31m\ud800 tax", "a b tax"],
  ])("%j", (message, text) => {
    expect(extractRequest(message)).toEqual({ text, specificity: "specific" });
  });

  test("of a long text is in its last sentence that asks for something", () => {
    const story = "The till has been slow for two years and nobody knows the reason for that. ".repeat(6);
    expect(extractRequest(`Add it to the list. ${story}Please make the till stream its rows.`)?.text).toBe(
      "make the till stream its rows.",
    );
  });

  test("has at most 100 columns, cut after a word", () => {
    expect(extractRequest("taxes ".repeat(30))?.text).toBe(`${"taxes ".repeat(16).trim()}…`);
    expect(extractRequest("税".repeat(60))?.text).toBe(`${"税".repeat(49)}…`);
  });
});

describe("a message that is not specific", () => {
  test.each([
    ["hi", "hi", "greeting"],
    ["Hello there!", "Hello there!", "greeting"],
    ["thanks, looks good", "thanks, looks good", "vague"],
    ["can you fix it please?", "fix it", "vague"],
    ["still doesn't work", "still doesn't work", "vague"],
    ["continue where we left off", "continue where we left off", "vague"],
    ["go ahead with step 1", "go ahead with step 1", "vague"],
    ["/model", "/model", "vague"],
    ["/compact keep the tests", "/compact keep the tests", "vague"],
    ["weiter", "weiter", "vague"],
    ["继续", "继续", "vague"],
    [SKILL, "pdf", "vague"],
    ['<file name="/a/b.ts">\nexport const a = 1;\n</file>', "b.ts", "vague"],
    ["👍", "👍", "greeting"],
  ])("%j", (message, text, specificity) => {
    expect(extractRequest(message)).toEqual({ text, specificity });
  });

  test("and has no text has no request", () => {
    expect(extractRequest(" \n")).toBeUndefined();
  });
});

test("a message of many megabytes takes as long as one of some kilobytes", () => {
  const began = performance.now();
  for (const part of ["<a>\n", "a. ", "[a](", "```\n", "at x (", "    at x:1\n", "error: ", "please ", "/a"])
    extractRequest(part.repeat(3_000_000 / part.length));
  expect(performance.now() - began).toBeLessThan(5_000);
});
