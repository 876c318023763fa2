import SQLite from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { prepareQuery, prepareText } from "../../src/store/words/prepare-text.ts";
import { anyText } from "./any-text.ts";
import { findsPhrase, storedWords } from "./fts5.ts";

/** The words that FTS5 stores for a text; `|` is the word before the parts of an identifier, `⁺` and `♯` end names. */
const words = (text: string): string[] =>
  storedWords(prepareText(text)).map((word) => word.replace("ª", "|").replace("º", "⁺").replace("¹", "♯"));

/** Whether an index with the text matches the query. */
const finds = (text: string, query: string, star = false): boolean => {
  const phrase = prepareQuery(query);
  return phrase !== undefined && findsPhrase(prepareText(text), phrase.words, phrase.prefix || star);
};

describe("an identifier", () => {
  test.each([
    ["parseSessionEntries", "parsesessionentries | parse session entries"],
    ["HTTPServer", "httpserver | http server"],
    ["getHTTPResponse", "gethttpresponse | get http response"],
    ["aB", "ab | a b"],
    ["v2Ray", "v2ray | v2 ray"],
    ["sha256", "sha256"],
    ["README", "readme"],
    ["Session", "session"],
    ["snake_case_name", "snake case name"],
    ["SCREAMING_SNAKE", "screaming snake"],
    ["kebab-case.ts", "kebab case ts"],
    ["a src/session/readLines.ts b", "a src session readlines ts b | read lines"],
    ["C:\\Users\\adaLovelace", "c users adalovelace | ada lovelace"],
    ["fooBar(fooBar, bazQux)", "foobar foobar bazqux | foo bar | baz qux"],
    ["fooBar”—数据", "foobar 数据 据 | foo bar"],
  ])("%s is indexed as: %s", (text, expected) => {
    expect(words(text).join(" ")).toBe(expected);
  });

  test("with characters beyond ASCII is not split", () => {
    expect(words("addCafé addCafe\u0301 überCool")).toEqual(["addcafe", "addcafe", "ubercool"]);
  });
});

describe("a name with a suffix of punctuation", () => {
  test.each([
    ["C++ and c++, (g++)", "c⁺ and c⁺ g⁺ | c | c | g"],
    ["C#; F#", "c♯ f♯ | c | f"],
    ["C++20 libFoo++", "c⁺ 20 libfoo⁺ | c | lib foo | libfoo"],
    ["a++b c+++ a+b x#1 #h a#b ##", "a b c a b x 1 h a b"],
    ["C++的", "c⁺ 的 | c"],
  ])("%s is indexed as: %s", (text, expected) => {
    expect(words(text).join(" ")).toBe(expected);
  });
});

describe("scripts without spaces", () => {
  test.each([
    ["数", "数"],
    ["数据", "数据 据"],
    ["检索数据库。很快", "检索 索数 数据 据库 库 很快 快"],
    ["データベース", "デー ータ タベ ベー ース ス"],
    ["日々の本", "日々 々の の本 本"],
    ["ｶﾞﾀ", "ガタ タ"],
    ["か\u3099き", "がき き"],
    ["한국어", "한국 국어 어"],
    ["\u1112\u1161\u11ab국", "한국 국"],
    ["𠮷野家", "𠮷野 野家 家"],
    ["a数b", "a 数 b"],
    ["用SQLite数据", "用 sqlite 数据 据 | sq lite"],
    ["ไทย", "ไท ทย ย"],
  ])("%s is indexed as: %s", (text, expected) => {
    expect(words(text).join(" ")).toBe(expected);
  });
});

describe("accents and forms", () => {
  test.each([
    ["naïve CAFÉ Straße Ångström", "naive cafe strasse angstrom"],
    ["łódź Ørsted đường Đ æther œuvre ﬁn", "lodz orsted duong d aether oeuvre fin"],
    ["ＨＥＬＬＯ１２ x² Ⅳ 𝐀 1ª 2º ¹", "hello12 x2 iv a 1a 2o 1"],
    ["Άνθρωπος ΆΝΘΡΩΠΟΣ", "ανθρωποσ ανθρωποσ"],
    ["Ещё ЕЩЕ мой мои їжак", "еще еще мой мои їжак"],
    ["мои\u0306 е\u0308 слова\u0301", "мой е слова"],
    ["مُحَمَّد محمـــد أحمد", "محمد محمد احمد"],
    ["שָׁלוֹם", "שלום"],
    ["Donau\u00addampf می\u200cخواهم", "donaudampf میخواهم"],
    ["İstanbul ISTANBUL", "istanbul istanbul"],
  ])("%s: %s", (text, expected) => {
    expect(words(text).join(" ")).toBe(expected);
  });

  test("vowel signs stay within their words", () => {
    expect(words("हिन्दी में")).toHaveLength(2);
    expect(finds("हिन्दी", "हन्दी")).toBe(false);
  });
});

describe("emoji", () => {
  test.each([
    ["done ✅", 2],
    ["done✅ok", 3 + 3], // followed by its neighbors again
    ["👩\u200d💻", 2],
    ["👍🏽👍", 2],
    ["❤\ufe0f", 1],
    ["🇺🇦🇩🇪", 2],
    ["🇺", 0],
    ["© ® ™ → ✓ │ ▶ ₿ €", 0],
    ["\ue001 \uf8ff \u{f2705} \u{10ffff}", 0],
  ])("%s: %i words", (text, count) => {
    expect(words(text)).toHaveLength(count);
  });
});

describe("ASCII text without identifiers, and punctuation", () => {
  test.each([
    "plain words, as they are: 42!",
    "",
    " \n\t",
    "a\0b",
    "— “quoted” … │ ✓ ─",
    "ещё слова".slice(0, 2),
  ])("is untouched: %j", (text) => {
    expect(prepareText(text)).toBe(text);
  });
});

describe("data", () => {
  const run = (length: number) => "abcdefgh".repeat(length).slice(0, length);

  test("is a run of letters and digits longer than 80", () => {
    expect(words(`a ${run(80)} b`)).toEqual(["a", run(80), "b"]);
    expect(words(`a ${run(81)} b`)).toEqual(["a", "b"]);
    expect(words(`a.${"0123456789abcdef".repeat(8)}.b`)).toEqual(["a", "b"]);
  });

  test("is a run of base64 longer than 256, including slashes, pluses and padding", () => {
    const base64 = Buffer.from(run(300)).toString("base64").replaceAll("W", "/").replaceAll("J", "+");
    expect(words(`before data:image/png;base64,${base64} after`)).toEqual([
      "before",
      "data",
      "image",
      "png",
      "base64",
      "after",
    ]);
    expect(words(`before ${"path/".repeat(51)}x after`)).toHaveLength(54);
    expect(words(`before ${"path/".repeat(52)} after`)).toEqual(["before", "after"]);
    expect(words(`before ${"path/".repeat(52)}`)).toEqual(["before"]);
  });

  test("is removed at the start, at the end, and next to other scripts", () => {
    expect(words(run(90))).toEqual([]);
    expect(words(`${run(90)} end`)).toEqual(["end"]);
    expect(words(`数据${run(300)}数据`)).toEqual(["数据", "据", "数据", "据"]);
  });

  test("in other scripts is a run longer than 1000", () => {
    expect(words(`a ${"é".repeat(1000)} b`)).toHaveLength(3);
    expect(words(`a ${"é".repeat(1001)} b`)).toEqual(["a", "b"]);
  });

  test("matches nothing, and is skipped within a phrase as in the index", () => {
    expect(finds(run(90), run(90))).toBe(false);
    expect(finds(run(90), "path/".repeat(52))).toBe(false);
    expect(finds(`a ${run(90)} b`, `a ${run(90)} b`)).toBe(true);
  });

  test("of a megabyte is prepared in one pass", () => {
    const parts = [
      "a",
      "A/",
      "aB",
      "aB ",
      "数",
      "a数",
      "—",
      "\ud83d",
      "é",
      "é ",
      "e\u0301",
      "👩",
      "\u0301",
      "a++",
    ];
    for (const part of parts) prepareText(part.repeat(500_000));
  }, 15_000);
});

describe("a query", () => {
  test.each([
    ["see src/session/readLines.ts:12", "src/session/readLines.ts"],
    ["see src/session/readLines.ts:12", "SRC/session/readlines.TS"],
    ["see src/session/readLines.ts:12", "session/readLines"],
    ["parseSessionEntries", "session entries"],
    ["call fooBar.bazQux(HTTPServer)", "fooBar.bazQux(HTTPServer"],
    ["addCafé here", "addCafe"],
    ["検索は数据库.ts也", "数据库.ts"],
    ["用SQLite数据库", "SQLite数据"],
    ["用SQLite数据库", "用SQLite"],
    ["数据库", "数"],
    ["大数据库", "数"],
    ["大数", "数"],
    ["(数据)", "数据!"],
    ["e\u0301 x", "\u00e9 \u0301"],
    ["in C++ code", "C++"],
    ["in C++ code", "in c++ code"],
    ["in C++ code", "c"],
    ["👩\u200d💻", "👩\u200d💻"],
    ["👩\u200d💻", "💻"],
  ])("on %j finds it by %j", (text, query) => {
    expect(finds(text, query)).toBe(true);
  });

  test.each([
    ["数据库", "数库"],
    ["大数据", "数大"],
    ["fooBar baz", "foo baz"],
    ["a fooBar b", "fooBar foo"],
    ["fooBar bazQux", "bar baz"],
    ["café", "cafés"],
    ["C and C# and C", "C++"],
    ["c++", "C#"],
    ["👩 at a 💻", "👩\u200d💻"],
    ["がき", "かき"],
    ["кой", "кои"],
  ])("on %j does not find it by %j", (text, query) => {
    expect(finds(text, query)).toBe(false);
  });

  test("of punctuation only has no words", () => {
    for (const query of ["", " ", "*", "--", "…", "\u0301", "\ud83d", "\ue000", "\u200d", "🇺", "™"])
      expect(prepareQuery(query)).toBeUndefined();
  });

  test("is words separated by one space, without FTS5 syntax", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(prepareQuery(text)?.words ?? "x").toMatch(/^[\p{L}\p{N}\p{Co}]+( [\p{L}\p{N}\p{Co}]+)*$/u);
      }),
      { numRuns: 1000 },
    );
  });

  test("for any part of a CJK run finds it", () => {
    const cjk = fc.array(fc.constantFrom(..."数据库の한ー々𠮷ไ"), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(cjk, fc.nat(8), fc.nat(8), (run, a, b) => {
        const from = Math.min(a, b, run.length - 1);
        const query = run.slice(from, Math.max(a, b) + 1).join("");
        expect(finds(`x${run.join("")}y`, query)).toBe(true);
      }),
    );
  });
});

describe("for a text longer than the cap", () => {
  const words = (text: string, head: number, tail: number) =>
    prepareText(text, { head, tail }).split(/\s+/).filter(Boolean);

  test("head and tail are kept, and a shorter text is unchanged", () => {
    expect(words("one two three", 10, 3)).toEqual(["one", "two", "three"]);
    expect(words("one two three four", 7, 4)).toEqual(["one", "two", "ª", "four"]);
    expect(words("one two three four", 7, 0)).toEqual(["one", "two", "ª"]);
  });

  test("no word is split", () => {
    expect(words("one two three four five", 9, 6)).toEqual(["one", "two", "ª", "five"]);
    expect(words("one two three four five", 7, 9)).toEqual(["one", "two", "ª", "four", "five"]);
  });

  test("a text without a nearby space is cut at the cap", () => {
    expect(words("a.".repeat(200), 10, 4)).toEqual(["a.a.a.a.a.", "ª", "a.a."]);
  });

  test("no phrase matches across the gap", () => {
    const db = new SQLite(":memory:");
    db.exec("CREATE VIRTUAL TABLE t USING fts5(text)");
    db.prepare("INSERT INTO t VALUES (?)").run(prepareText("one two three four", { head: 7, tail: 4 }));
    const count = db.prepare("SELECT count(*) FROM t WHERE t MATCH ?").pluck();
    expect([count.get('"one two"'), count.get('"two four"'), count.get("two four")]).toEqual([1, 0, 1]);
    db.close();
  });
});

test("the whole words on both sides of an emoji are repeated", () => {
  expect(words("tests ✅ passed now").slice(-3)).toEqual(["tests", "passed", "now"]);
  expect(
    words(`${"supercalifragilistic".repeat(3)} tests ✅ ok`).filter((word) => word === "tests"),
  ).toHaveLength(1);
  expect(words("deploy 🚀🚀 done").slice(-2)).toEqual(["deploy", "done"]);
});

test("names with numbers, versions and long names are found by their parts", () => {
  expect(words("XMLHttpRequest2")).toContain("request");
  expect(words("node v20.11.1").slice(-3)).toEqual(["20", "11", "1"]);
  const long = "shouldReturnNotFoundWhenTheCustomerHasNoOpenInvoicesAndTheLedgerIsClosedForTheMonthOfMarch";
  expect(words(long)).toContain(long.toLowerCase());
  expect(
    words("aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Qgb2YgYmFzZTY0IGRhdGEgd2hpY2ggaXMgbG9uZ2VyIHRoYW4gODA"),
  ).toEqual([]);
});
