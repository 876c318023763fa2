import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTypedQuery } from "../../../bin/format/typed-query.ts";
import { session } from "../../../fixtures/builder.ts";
import { indexed } from "../../query/opened-queries.ts";

const words = (query: string) => ({ by: "words", query });
const title = (text: string) => ({ by: "title", text });
const nothing = { by: "nothing" };

describe("a typed text is parsed as", () => {
  test.each([
    ["", nothing],
    ["   ", nothing],
    ["t", title("t")],
    [" ta ", title("ta")],
    ["tax", words("tax*")],
    ["税", words("税*")],
    ["double tax", words("double tax*")],
    ["double ta", words("double")], // prefix of too many fields
    ['"double ta', words('"double"')],
    ['"double tax', words('"double tax"*')],
    ['"double ', words('"double "')],
    ['"ta', nothing],
    ['tax "vat', words('tax "vat"*')],
    ['tax -"vat rat', words('tax -"vat rat"')],
    ['"f(x', words('"f("')],
    ['"total()', words('"total()"')],
    ['"税', words('"税"*')],
    ['"double tax"', words('"double tax"')],
    ["round*", words("round*")],
    ["tax OR", words("tax")],
    ["tax OR ", words("tax")],
    ["tax OR v", words("tax")],
    ["tax OR vat", words("tax OR vat*")],
    ["(tax OR vat", words("(tax OR vat*)")],
    ["(", nothing],
    ["((t", nothing],
    ["-blog c", words("-blog c")],
    ['"', nothing],
    ['tax name:"', words("tax")],
    ['(tax OR "vat ra', words('(tax OR "vat")')],
    ["tax -", words("tax")],
    ["tax -blog", words("tax -blog")], // may become a valid value
    ["tax -(blog OR till", words("tax -(blog OR till*)")],
    ["role:", nothing],
    ["tax role:", words("tax")],
    ["tax role:user", words("tax role:user")],
    ["role:user,", words("role:user")],
    ['name:"the ti', words('name:"the ti"')],
    ['tag:a,"', words("tag:a")],
    ["-(a b) c", words("-(a b) c")],
    ["“double ta", words('“double"')],
    ["(“double tax", words('(“double tax"*)')],
    ["role:usr", words("role:usr")],
    ["re:", nothing],
    ["re: tax.*of", { by: "pattern", regex: "tax.*of" }],
    ["a.b()", words("a.b()")],
  ])("%j", (text, meaning) => {
    expect(parseTypedQuery(text)).toEqual(meaning);
  });
});

test.each([
  ["src/s", words("src/")],
  ["tax.of src/s", words("tax.of src/")],
  ["src/se", words("src/se*")],
  ["index.t", words("index.")],
  ["file:src/s", words("file:src/s")],
  ["tax -src/s", words("tax -src/s")],
  ["tax", words("tax*")],
])("while the user types, %j is parsed as %j", (text, meaning) => {
  expect(parseTypedQuery(text, { quick: true })).toEqual(meaning);
});

/** Queries in docs/search.md, and typical text between them. */
const VALID = [
  "checkout tax",
  '"double tax"',
  'round* "double ta"*',
  "tax OR vat",
  "(tax OR vat) checkout",
  "a b OR c d",
  "tax -blog -(blog OR till)",
  "role:user,assistant -role:user",
  'name:"the till" tag:area/* project:ada/shop',
  "is:error is:current -is:current is:named -is:archived",
  "since:2026-01-31 until:2026-01-31T09:30 since:7d",
  "file:tax.ts rounding label:good model:openai/gpt-5 session:@last",
  "type:branch_summary tool:mcp__* cwd:/home/ada provider:x",
  "src/tax.ts a.b() --no-sync C++ g++ 🎉 👩‍💻 書店 が",
  '((tax OR "vat rate") (checkout OR -blog)) -(a b)',
  "don't (sic) foo(bar) x:y http://a.b/c?d=e",
];

test("every partially typed query can be run, unless a value is invalid so far", async () => {
  const { index } = await indexed(session({}).user("double tax in the checkout, rounding"));
  const wrong: string[] = [];
  const isAsked = async (text: string) => {
    const typed = parseTypedQuery(text);
    if (typed.by !== "words") return;
    await index.search(typed.query, { sync: false, strict: true }).catch((error) => {
      // The beginning of a time or of a known value is not a value yet; a typing error stays one.
      const isValue =
        /is not a date|unknown (?:filter|role|type)|^(?:no session matches|there are no sessions)/.test(
          error.message,
        );
      if (!isValue) wrong.push(`${JSON.stringify(text)} → ${typed.query}: ${error.message}`);
    });
  };
  for (const query of VALID) {
    for (let end = 1; end <= query.length; end++) await isAsked(query.slice(0, end));
  }
  const parts = fc.constantFrom(
    ...VALID.flatMap((query) => query.split(" ")).filter((part) => !/["(]|\)$/.test(part)),
    "OR",
    "(",
    ")",
    "-(",
    '"',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(parts, { maxLength: 6 }), async (all) => {
      const whole = all.join(" ");
      const isRight = await index.search(whole, { sync: false, strict: true }).then(
        () => true,
        () => false,
      );
      if (isRight) await isAsked(whole);
    }),
    { numRuns: 200 },
  );
  expect([...new Set(wrong)]).toEqual([]);
});
