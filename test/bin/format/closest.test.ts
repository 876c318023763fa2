import { expect, test } from "vitest";
import { formatClosestNotice, formatQueryNotice, formatUnknownWords } from "../../../bin/format/closest.ts";
import { filePattern } from "../../../bin/format/query-words.ts";

const closest = { sessionCount: 2, missing: [], corrected: [] };

test("there is no notice if all sessions match in full", () => {
  expect(formatClosestNotice({ sessionCount: 3 })).toBeUndefined();
});

test.each([
  [
    { sessionCount: 2, closest: { ...closest, missing: ["vscode"] } },
    "No session matches every term. Closest matches; missing: vscode",
  ],
  [
    { sessionCount: 2, closest: { ...closest, corrected: [{ from: "frmaes", to: "frames" }] } },
    "Closest matches; corrected: frmaes → frames",
  ],
  [
    { sessionCount: 2, closest: { ...closest, missing: ["TypeError:"] } },
    "No session matches every term. Closest matches; missing: TypeError",
  ],
  [
    { sessionCount: 2, closest: { ...closest, missing: ["'total')"] } },
    "No session matches every term. Closest matches; missing: total",
  ],
  [{ sessionCount: 3, closest }, "1 session matches every term. The rest are closest matches"],
  [
    { sessionCount: 4, closest: { ...closest, missing: ["a", "b"], corrected: [{ from: "x", to: "y" }] } },
    "2 sessions match every term. The rest are closest matches; corrected: x → y; missing: a, b",
  ],
  [
    { sessionCount: 2, closest: { ...closest, missing: ["1", "2", "3", "4", "5", "6", "7"] } },
    "No session matches every term. Closest matches; missing: 1, 2, 3, 4, 5 and 2 more",
  ],
])("%j has this notice", (found, text) => {
  expect(formatClosestNotice(found)).toBe(text);
});

test("a phrase that is not found is not said to lack its words", () => {
  expect(formatUnknownWords({ unfound: ["vscode,"] })).toBe("Not in the index: vscode");
  const phrase = 'Never side by side: "till tax" (try without quotes)';
  expect(formatUnknownWords({ unfound: ["till tax"] })).toBe(phrase);
  expect(formatUnknownWords({ unfound: ["vscode", "till tax"] })).toBe(`Not in the index: vscode. ${phrase}`);
  expect(formatUnknownWords({})).toBeUndefined();
});

const isSafe = (text: string | undefined) => text !== undefined && !/\p{Cc}/u.test(text);

test("text from queries and sessions is safe for a terminal, on one line", () => {
  const hostile = "\u001b[31mred\nline";
  const text = formatClosestNotice({ sessionCount: 2, closest: { ...closest, missing: [hostile] } });
  expect(text).toSatisfy(isSafe);
  expect(formatQueryNotice({ sessionCount: 0, notAQuery: hostile })).toSatisfy(isSafe);
  expect(formatUnknownWords({ unfound: [hostile] })).toSatisfy(isSafe);
});

test("a query becomes a pattern of its literal text", () => {
  expect(filePattern(' a.b(c)* "d" ')).toBe("re:a\\.b\\(c\\)\\* d");
  expect(filePattern("tax since:2027 tool:bash")).toBe("re:tax");
  // What looks like a regular expression is one.
  expect(filePattern("ECONN\\w+ since:2027")).toBe("re:ECONN\\w+");
  expect(filePattern("total\\(.*cart")).toBe("re:total\\(.*cart");
  expect(filePattern("C:\\work\\shop")).toBe("re:C:\\\\work\\\\shop");
});

test("the notice names prefixes for which only the most frequent words are searched, besides other changes", () => {
  expect(formatQueryNotice({})).toBeUndefined();
  expect(formatQueryNotice({ broadPrefixes: ["e"] })).toBe(
    "e* matches too many words; only the most frequent are searched",
  );
  expect(formatQueryNotice({ broadPrefixes: ["e", "t"], notAQuery: "no )" })).toBe(
    "Searched as plain words: no ). e*, t* match too many words; only the most frequent are searched",
  );
});

test.each([
  [["prjct:shop"], "prjct: is not a field; did you mean project:? Not in the index: prjct:shop"],
  [
    ["after:2026-13-45"],
    "2026-13-45 is not a date, time or age; try after:7d. Not in the index: after:2026-13-45",
  ],
  [["date:2026-01"], "date: is not a field; did you mean since:? Not in the index: date:2026-01"],
  [["has:foo"], "has: is not a field. Not in the index: has:foo"],
  [["http://x"], "Not in the index: http://x"],
  [["std::move"], "Not in the index: std::move"],
  [["vscode"], "Not in the index: vscode"],
])("of unknown words %j, one that looks like a field is named", (unfound, notice) => {
  expect(formatUnknownWords({ unfound })).toBe(notice);
});

test("a corrected query is named", () => {
  expect(formatQueryNotice({ correctedQuery: "double\ttax*" })).toBe(
    "Nothing matches as typed. Results for: double tax",
  );
});
