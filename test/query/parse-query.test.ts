import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FIELDS } from "../../query/fields.ts";
import { formatTerm, type TermToFormat } from "../../query/format-term.ts";
import { parseQuery } from "../../query/parse-query.ts";
import type { QueryNode } from "../../query/query-tree.ts";
import { PidexError } from "../../src/errors.ts";

/** Formats a node with brackets: `(and a "b c" -d)`. */
function written(node: QueryNode | undefined): string {
  if (!node) return "nothing";
  switch (node.kind) {
    case "text":
      return (/\s/.test(node.text) ? `"${node.text}"` : node.text) + (node.prefix ? "*" : "");
    case "field":
      return `${node.field}=${node.values.map(({ value }) => value).join("|")}`;
    case "not":
      return `-${written(node.node)}`;
    default:
      return `(${node.kind} ${node.nodes.map(written).join(" ")})`;
  }
}

describe("a query is parsed as", () => {
  test.each([
    ["tax", "tax"],
    ["double tax", "(and double tax)"],
    ['"double tax"', '"double tax"'],
    ['"double tax', '"double tax"'],
    ["“double tax” x", '(and "double tax" x)'],
    ['"double ta"*', '"double ta"*'],
    ["conf**", "conf*"],
    ['a"b c"d', '(and a "b c" d)'],
    ['"say ""hi"" twice"', '"say "hi" twice"'],
    ['tag:"a ""b""",c', 'tag=a "b"|c'],
    ['"" a', "(and  a)"],
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
    ["cost: 5 since: then", "(and cost: 5 since: then)"],
    ["missing a name:", "(and missing a name:)"],
    ["cost:>1 messages:10..20", "(and cost=>1 messages=10..20)"],
    ["-cost:<=$0.5 message:x", "(and -cost=<=$0.5 message:x)"],
    ["a\0b", "(and a b)"],
    ["a\u3000b\nc", "(and a b c)"],
    ["", "nothing"],
    [" \n ", "nothing"],
    ["()", "nothing"],
    ["-()", "nothing"],
  ])("%j", (query, expected) => {
    expect(written(parseQuery(query).root)).toBe(expected);
  });

  test("a field for the names that it has elsewhere, if a time follows those of times", () => {
    const fields = (query: string) =>
      parseQuery(query).terms.map(({ term }) =>
        term.kind === "field" ? [term.field, term.start, term.end] : term.text,
      );
    expect(fields('after:2026 before:"3 days ago" path:src/')).toEqual([
      ["since", 0, 10],
      ["until", 11, 30],
      ["file", 31, 40],
    ]);
    expect(parseQuery("before:2026").terms[0]?.term).toMatchObject({
      values: parseQuery("until:2026").terms.flatMap(({ term }) =>
        term.kind === "field" ? term.values.map(({ value }) => ({ value })) : [],
      ),
    });
    // What looks like a time is one, or an error.
    for (const query of ["before:2026-13-45", "after:last week"])
      expect(() => parseQuery(query)).toThrow(/is not a date, time or age/);
    expect(fields("before:all after:click,x :before after:")).toEqual([
      ...["before:all", "after:click,x", ":before", "after:"],
    ]);
  });

  test("a time in milliseconds for time fields", () => {
    const value = String(Date.parse("2026-01-31T09:30Z"));
    expect(parseQuery("since:2026-01-31T09:30Z").root).toEqual({
      kind: "field",
      field: "since",
      values: [{ value, text: "2026-01-31T09:30Z", start: 6, end: 23 }],
      start: 0,
      end: 23,
    });
    const year = { value: String(new Date(2026, 0, 1).getTime()), text: "2026" };
    expect(parseQuery("until:2026").root).toMatchObject({ values: [year] });
  });
});

describe("an error has its position and a correction", () => {
  test.each([
    ["a (b", 'has no matching ")" (at character 3 ', 'quote it: "("'],
    ["a ) b", '")" has no matching "(" (at character 3 ', 'quote it: ")"'],
    ["a OR", "OR has no term after it (at character 3 ", '"OR"'],
    ["OR a", "OR has no term before it (at character 1 ", '"OR"'],
    ["a OR OR b", "OR has no term after it (at character 3 ", '"OR"'],
    ["(a OR) b", "OR has no term after it (at character 4 ", '"OR"'],
    ["x rol:user", "unknown field rol: (at character 3 ", "Did you mean role:?"],
    ["cots:>5", "unknown field cots: (at character 1 ", "Did you mean cost:?"],
    ["fiel:a", "unknown field fiel: (at character 1 ", "Did you mean file:"],
    ["labels:a", "unknown field labels: (at character 1 ", "Did you mean label:"],
    ["x role:usr", 'unknown role "usr" (at character 8 ', "Did you mean role:user?"],
    ["a cost:high", "cost:high is not an amount, try cost:1.50 (at character 8 ", "cost:0.5..2"],
    ["cost:>abc", "cost:>abc is not an amount, try cost:>1.50 (at character 6 ", "cost:>2"],
    ["messages:>", "messages:> is not a number, try messages:>50 (at character 10 ", "messages:>50"],
    ["type:mesage", 'unknown type "mesage" (at character 6 ', "Did you mean type:message?"],
    [
      "is:broken",
      "unknown filter is:broken (at character 4 ",
      "is:named, is:forked, is:pinned, is:archived, is:compressed, is:error, is:current",
    ],
    ["since:soon", "since:soon is not a date, time or age, try since:7d (at character 7 ", "since:7d"],
    [
      "since:2026-01-31junk",
      "since:2026-01-31junk is not a date, time or age, try since:7d (at ",
      "since:7d",
    ],
    ["since:yesterdy", "since:yesterdy is not", "Did you mean since:yesterday? Write"],
    ['until:"last wek"', "is not a date, time or age", "Did you mean until:last-week?"],
    ["since:7d,8d", "since: accepts only one time (at character 1 ", "since:7d"],
    ["role:user,", "role: has no value after its comma (at character 11 ", "role:value"],
    ['file:""', "file: has no value after its colon (at character 6 ", "file:value"],
    [
      "cost:",
      "cost: has no value after its colon (at character 6 ",
      "cost:>2, cost:<=0.5, cost:0.5..2 or cost:2..",
    ],
    ["project:tax -since:", "since: has no value after its colon (at character 20 ", "since:7d"],
    ["is:", "is: has no value after its colon (at character 4 ", "is:error"],
    [
      "path:",
      "path: has no value after its colon (at character 6 ",
      'Write path:value; to search for the word, quote it: "path:"',
    ],
    ["cost: >1", "cost: has a space after its colon (at character 1 ", "Write cost:>1"],
    ["since: 7d", "since: has a space after its colon (at character 1 ", "Write since:7d"],
    ["role: user", "role: has a space after its colon (at character 1 ", "Write role:user"],
    [`${"(".repeat(51)}a`, "groups are nested more than 50 deep (at character 51 ", "fewer parentheses"],
    ["w ".repeat(301), "more than 300 words (at character 601 ", "at most 300"],
    ["a".repeat(100_001), "the query has 100001 characters", "a few words"],
  ])("%j", (query, message, hint) => {
    const read = () => parseQuery(query);
    expect(read).toThrow(PidexError);
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ code: "BAD_QUERY", hint: expect.stringContaining(hint) }));
  });
});

test("any text is parsed or rejected with BAD_QUERY, and any quoted text is parsed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      try {
        parseQuery(text);
      } catch (error) {
        expect(error).toMatchObject({ code: "BAD_QUERY" });
      }
      const quoted = parseQuery(`"${text.replaceAll('"', "")}"`).root;
      expect(quoted).toMatchObject({ kind: "text" });
    }),
    { numRuns: 1_000 },
  );
});

describe("every term has its position", () => {
  test.each([
    ['tax -role:user "a b"*', ["tax", "-role:user", '"a b"*']],
    ["(tax OR -(vat blog)) AND x", ["tax", "vat", "blog", "x"]],
    ['name:"the till",shop\u3000-"no"', ['name:"the till",shop', '-"no"']],
    ["書店 🎉 C++", ["書店", "🎉", "C++"]],
  ])("%j", (query, written) => {
    const { terms } = parseQuery(query);
    expect(terms.map(({ term, start }) => query.slice(start, term.end))).toEqual(written);
  });

  test("values of a field have their own, including quotes", () => {
    const query = '-tag:a,"b c"';
    const [term] = parseQuery(query).terms;
    const values = term?.term.kind === "field" ? term.term.values : [];
    expect(values.map(({ start, end }) => query.slice(start, end))).toEqual(["a", '"b c"']);
    expect(term).toMatchObject({ excluded: true, start: 0, term: { start: 1, end: 12 } });
  });

  test("groups have theirs, including parentheses", () => {
    expect(parseQuery("a (b OR c)").root).toMatchObject({
      ...{ kind: "and", start: 0, end: 10 },
      nodes: [{ start: 0 }, { kind: "or", start: 2, end: 10 }],
    });
  });
});

describe("an incomplete query is parsed as far as possible", () => {
  const incomplete = (query: string) => {
    const { terms } = parseQuery(query, { lenient: true });
    return terms.filter(({ term }) => term.incomplete).map(({ term, start }) => query.slice(start, term.end));
  };
  test.each([
    ["tax -", "(and tax -)", ["-"]],
    ["tax role:", "(and tax role=)", ["role:"]],
    ["-name:", "-name=", ["-name:"]],
    ["role:user,", "role=user|", ["role:user,"]],
    ["role:us", "role=us", []],
    ["role:usr", "role=usr", ["role:usr"]],
    ["since:20", "since=20", ["since:20"]],
    ["rol:user", "rol:user", []],
    ["rol:", "rol:", ["rol:"]],
    ['a "double ta', '(and a "double ta")', ['"double ta']],
    ['name:"the ti', "name=the ti", ['name:"the ti']],
    ["tax OR", "tax", []],
    ["OR OR tax", "tax", []],
    ["(tax OR (vat", "(or tax vat)", []],
    ["a ) b) c", "(and a (and b) c))", []],
    ["a AND", "(and a AND)", ["AND"]],
    ["-(", "nothing", []],
    ["", "nothing", []],
  ])("%j", (query, tree, open) => {
    expect(written(parseQuery(query, { lenient: true }).root)).toBe(tree);
    expect(incomplete(query)).toEqual(open);
  });

  test("open groups and the end of complete terms have positions", () => {
    expect(parseQuery("(a -(b OR", { lenient: true })).toMatchObject({ openGroups: [0, 4], contentEnd: 6 });
    expect(parseQuery("(a) OR (", { lenient: true })).toMatchObject({ openGroups: [7], contentEnd: 3 });
  });

  test("any text is, and a valid query is parsed as in strict mode", () => {
    const parts = fc.constantFrom(
      "tax",
      '"',
      "(",
      ")",
      "-",
      "OR",
      "AND",
      "role:",
      "user",
      "name:",
      ",",
      " ",
      "*",
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.array(parts).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const read = parseQuery(text, { lenient: true });
        try {
          const strict = parseQuery(text);
          const isSame = !/[a-z]:$/.test(text); // the value is still missing
          if (isSame) expect(read).toEqual(strict);
        } catch (error) {
          expect(error).toMatchObject({ code: "BAD_QUERY" });
        }
      }),
      { numRuns: 2_000 },
    );
    expect(written(parseQuery("(".repeat(10_000), { lenient: true }).root)).toMatch(/^\(+$/);
  });
});

describe("a formatted term is parsed as the same term", () => {
  const FREE = FIELDS.filter(
    (field) => !["role", "type", "is", "since", "until", "cost", "messages"].includes(field),
  );
  const signs = fc.constantFrom(
    "\\",
    '"',
    ":",
    " ",
    ",",
    "-",
    "(",
    ")",
    "“",
    "”",
    "{",
    "]",
    "*",
    "書店",
    "OR",
    "role:user",
  );
  const texts = fc
    .oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.oneof(signs, fc.string({ maxLength: 3 }))).map((all) => all.join("")),
    )
    .map((text) => text.replaceAll("\0", ""));
  const terms: fc.Arbitrary<TermToFormat> = fc.oneof(
    fc.record({ text: texts, prefix: fc.boolean(), excluded: fc.boolean() }),
    fc.record({
      field: fc.constantFrom(...FREE),
      values: fc.array(
        texts.filter((text) => text.trim() !== ""),
        { minLength: 1, maxLength: 3 },
      ),
      excluded: fc.boolean(),
    }),
  );
  const readBack = ({ terms }: ReturnType<typeof parseQuery>) =>
    terms.map(({ term, excluded }) =>
      term.kind === "text"
        ? { text: term.text, prefix: term.prefix, excluded }
        : { field: term.field, values: term.values.map(({ value }) => value), excluded },
    );

  test("with any text, alone, among others and in a group", () => {
    fc.assert(
      fc.property(fc.array(terms, { minLength: 1, maxLength: 3 }), (all) => {
        const query = all.map(formatTerm).join(" ");
        expect(readBack(parseQuery(query))).toEqual(all);
        expect(readBack(parseQuery(`(${query}) x`)).slice(0, -1)).toEqual(all);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    [{ text: "tax" }, "tax"],
    [{ text: "a.b-c_d", prefix: true }, "a.b-c_d*"],
    [{ text: "tax", quoted: true }, '"tax"'],
    [{ text: "double tax", excluded: true }, '-"double tax"'],
    [{ text: "OR" }, '"OR"'],
    [{ text: "-v" }, '"-v"'],
    [{ text: "role:user" }, '"role:user"'],
    [{ field: "cwd", values: ["C:\\my work\\"] }, 'cwd:"C:\\my work\\"'],
    [{ field: "cwd", values: ["C:\\work"] }, "cwd:C:\\work"],
    [{ field: "tag", values: ['a "b"', "c"], excluded: true }, '-tag:"a ""b""",c'],
  ] as [TermToFormat, string][])("%j", (term, written) => {
    expect(formatTerm(term)).toBe(written);
  });
});
