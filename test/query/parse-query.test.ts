import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuery, type QueryNode } from "../../query/parse-query.ts";
import { PidexError } from "../../src/errors.ts";

/** A node as brackets: `(and a "b c" -d)`. */
function written(node: QueryNode | undefined): string {
  if (!node) return "nothing";
  switch (node.kind) {
    case "text":
      return (/\s/.test(node.text) ? `"${node.text}"` : node.text) + (node.prefix ? "*" : "");
    case "field":
      return `${node.field}=${node.values.join("|")}`;
    case "not":
      return `-${written(node.node)}`;
    default:
      return `(${node.kind} ${node.nodes.map(written).join(" ")})`;
  }
}

describe("a query is read as", () => {
  test.each([
    ["tax", "tax"],
    ["double tax", "(and double tax)"],
    ['"double tax"', '"double tax"'],
    ['"double tax', '"double tax"'],
    ["“double tax” x", '(and "double tax" x)'],
    ['"double ta"*', '"double ta"*'],
    ["conf**", "conf*"],
    ['a"b c"d', '(and a "b c" d)'],
    ["a OR b", "(or a b)"],
    ["a b OR c d", "(or (and a b) (and c d))"],
    ["(a OR b) c", "(and (or a b) c)"],
    ["((a))", "a"],
    ["(a OR b())", "(or a b())"],
    ["x(a OR b)", "(or x(a b))"],
    ["a AND b", "(and a b)"],
    ["AND", "AND"],
    ["a AND", "(and a AND)"],
    ["or and not", "(and or and not)"],
    ["ORDER BY", "(and ORDER BY)"],
    ["-a b", "(and -a b)"],
    ["--a", "--a"],
    ["a -(b OR c)", "(and a -(or b c))"],
    ["-role:user a", "(and -role=user a)"],
    ["--no-sync", "--no-sync"],
    ["a - b", "(and a - b)"],
    ["C++ a.b() x->y", "(and C++ a.b() x->y)"],
    ["f () {", "(and f {)"],
    ["at run (/src/a.ts:3:14)", "(and at run /src/a.ts:3:14)"],
    ["role:USER,toolresult", "role=user|toolResult"],
    ["role:agent,hookMessage", "role=assistant|custom"],
    ["Role:user File:x", "(and Role:user File:x)"],
    ["mode:strict his:story", "(and mode:strict his:story)"],
    ["file:*.{ts,rs},a.py", "file=*.{ts,rs}|a.py"],
    ["file:[a,b].ts", "file=[a,b].ts"],
    ["role:narrator", "role=narrator"],
    ["type:branch-summary", "type=branch_summary"],
    ['name:"the till",shop', "name=the till|shop"],
    ["(file:src/(a).ts)", "file=src/(a).ts"],
    ["file:C:\\a\\b.ts", "file=C:\\a\\b.ts"],
    ["is:NAMED -is:forked", "(and is=named -is=forked)"],
    ["https://a.b node:fs Error: a::b", "(and https://a.b node:fs Error: a::b)"],
    ["the cause is: nobody", "(and the cause is: nobody)"],
    ["name: pidex", "(and name: pidex)"],
    ["a\0b", "(and a b)"],
    ["a\u3000b\nc", "(and a b c)"],
    ["", "nothing"],
    [" \n ", "nothing"],
    ["()", "nothing"],
    ["-()", "nothing"],
  ])("%j", (query, expected) => {
    expect(written(parseQuery(query))).toBe(expected);
  });

  test("a time in milliseconds where a field takes one", () => {
    expect(parseQuery("since:2026-01-31T09:30Z")).toEqual({
      kind: "field",
      field: "since",
      values: [String(Date.parse("2026-01-31T09:30Z"))],
    });
    expect(parseQuery("until:2026")).toMatchObject({ values: [String(new Date(2026, 0, 1).getTime())] });
  });
});

describe("a mistake is told with its place and what was meant", () => {
  test.each([
    ["a (b", "is never closed (at character 3 ", 'quote it: "("'],
    ["a ) b", '")" closes nothing (at character 3 ', 'quote it: ")"'],
    ["a OR", "nothing stands after OR (at character 3 ", '"OR"'],
    ["OR a", "nothing stands before OR (at character 1 ", '"OR"'],
    ["a OR OR b", "nothing stands after OR (at character 3 ", '"OR"'],
    ["(a OR) b", "nothing stands after OR (at character 4 ", '"OR"'],
    ["x rol:user", "there is no field rol: (at character 3 ", "Did you mean role: there?"],
    ["fiel:a", "there is no field fiel: (at character 1 ", "Did you mean file:"],
    ["labels:a", "there is no field labels: (at character 1 ", "Did you mean label:"],
    ["x role:usr", 'there is no role "usr" (at character 8 ', "Did you mean role:user?"],
    ["type:mesage", 'there is no type "mesage" (at character 6 ', "Did you mean type:message?"],
    [
      "is:broken",
      "is:broken is no question (at character 4 ",
      "is:named, is:forked, is:pinned, is:archived, is:error, is:current",
    ],
    ["since:soon", "since:soon is no time (at character 7 ", "since:7d"],
    ["since:2026-01-31junk", "since:2026-01-31junk is no time (at character 7 ", "since:7d"],
    ["since:7d,8d", "since: takes one time (at character 1 ", "since:7d"],
    ["role:user,", "role: has nothing behind its comma (at character 11 ", "role:value"],
    ['file:""', "file: has nothing behind its colon (at character 6 ", "file:value"],
    ["role: user", "role: has a space behind its colon (at character 1 ", "Write role:user"],
    [`${"(".repeat(51)}a`, "more than 50 groups in each other (at character 51 ", "fewer parentheses"],
    ["w ".repeat(301), "more than 300 words (at character 601 ", "at most 300"],
    ["a".repeat(100_001), "the query has 100001 characters", "a few words"],
  ])("%j", (query, message, hint) => {
    const read = () => parseQuery(query);
    expect(read).toThrow(PidexError);
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ code: "BAD_QUERY", hint: expect.stringContaining(hint) }));
  });
});

test("any text at all is read, or refused with BAD_QUERY, and quoted it is always read", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      try {
        parseQuery(text);
      } catch (error) {
        expect(error).toMatchObject({ code: "BAD_QUERY" });
      }
      const quoted = parseQuery(`"${text.replaceAll('"', "")}"`);
      expect(quoted).toMatchObject({ kind: "text" });
    }),
    { numRuns: 1_000 },
  );
});
