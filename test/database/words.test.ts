import SQLite from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { capText, prepareQuery, prepareText } from "../../src/database/words.ts";

/** The words of prepared text, as the tokenizer splits it. */
const words = (text: string): string[] => prepareText(text).match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu) ?? [];

describe("an identifier", () => {
  test.each([
    ["parseSessionEntries", "parseSessionEntries parse Session Entries"],
    ["HTTPServer", "HTTPServer HTTP Server"],
    ["getHTTPResponse", "getHTTPResponse get HTTP Response"],
    ["aB", "aB a B"],
    ["v2Ray", "v2Ray v2 Ray"],
    ["sha256", "sha256"],
    ["README", "README"],
    ["Session", "Session"],
    ["snake_case_name", "snake case name"],
    ["SCREAMING_SNAKE", "SCREAMING SNAKE"],
    ["kebab-case.ts", "kebab case ts"],
    ["src/session/readLines.ts", "src session readLines read Lines ts"],
    ["C:\\Users\\adaLovelace", "C Users adaLovelace ada Lovelace"],
    ["(fooBar,bazQux)", "fooBar foo Bar bazQux baz Qux"],
  ])("%s is indexed as: %s", (text, expected) => {
    expect(words(text).join(" ")).toBe(expected);
  });

  test("that goes on with an accent stays whole", () => {
    expect(words("addCafé")).toEqual(["addCafé"]);
    expect(words("addCafe\u0301 x")).toEqual(["addCafe\u0301", "x"]);
    expect(words("überCool")).toEqual(["überCool"].concat("ber", "Cool"));
  });

  test("is split before a curly quote, a dash or Chinese", () => {
    expect(words("fooBar”")).toEqual(["fooBar", "foo", "Bar"]);
    expect(words("fooBar—x")).toEqual(["fooBar", "foo", "Bar", "x"]);
    expect(words("fooBar数据")).toEqual(["fooBar", "foo", "Bar", "数据", "据"]);
  });
});

describe("CJK", () => {
  test.each([
    ["数", "数"],
    ["数据", "数据 据"],
    ["数据库", "数据 据库 库"],
    ["检索数据库。很快", "检索 索数 数据 据库 库 很快 快"],
    ["データベース", "デー ータ タベ ベー ース ス"],
    ["日々の本", "日々 々の の本 本"],
    ["ｶﾀ", "ｶﾀ ﾀ"],
    ["한국어", "한국 국어 어"],
    ["𠮷野家", "𠮷野 野家 家"],
    ["a数b", "a 数 b"],
    ["用SQLite数据", "用 SQLite SQ Lite 数据 据"],
  ])("%s is indexed as: %s", (text, expected) => {
    expect(words(text).join(" ")).toBe(expected);
  });
});

describe("other text", () => {
  test.each([
    "plain words, as they are: 42!",
    "naïve café Straße ÅNGSTRÖM",
    "Ещё слова",
    "مرحبا बिना ไทย",
    "👩‍💻 emoji ➡ €",
    "",
    " \n\t",
    "\ud83d alone \ude00",
    "a\0b",
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

  test("is a run of base64 longer than 256, slashes, pluses and padding included", () => {
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
  });

  test("is dropped at the start, at the end, and next to other writing", () => {
    expect(words(run(90))).toEqual([]);
    expect(words(`${run(90)} end`)).toEqual(["end"]);
    expect(words(`数据${run(300)}数据`)).toEqual(["数据", "据", "数据", "据"]);
  });

  test("of a megabyte takes no time", () => {
    const began = performance.now();
    for (const part of ["a", "A/", "aB", "aB ", "数", "a数", "—", "\ud83d"])
      prepareText(part.repeat(500_000));
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe("any text", () => {
  const text = fc
    .array(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 20 }),
        fc.string({ unit: fc.constantFrom(..."abcXYZ09+/=._- \n数据の한é\ud842\udfb7"), maxLength: 30 }),
        fc.string({ unit: fc.constantFrom(..."abc"), maxLength: 90 }),
        fc.nat(300).map((length) => "x/".repeat(length)),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(""));

  test("keeps each of its plain words of 80 letters or fewer that is not within data", () => {
    fc.assert(
      fc.property(text, (text) => {
        const kept = new Set(prepareText(text).match(/[A-Za-z0-9]+/g));
        const outside = text.replace(/[A-Za-z0-9+/=]{257,}/g, " ");
        for (const word of outside.match(/[A-Za-z0-9]+/g) ?? []) {
          if (/^[a-z]{1,80}$/.test(word)) expect(kept).toContain(word);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("loses no letter of a script it does not know, and gains none", () => {
    const foreign = fc.string({ unit: fc.constantFrom(..."éяضथก👩 ,.\n"), maxLength: 60 });
    fc.assert(fc.property(foreign, (text) => prepareText(text) === text));
  });

  test("has every two neighbouring CJK characters as one word", () => {
    const cjk = fc.string({ unit: fc.constantFrom(..."数据库の한ー々𠮷"), minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(cjk, (text) => {
        const kept = new Set(words(`x ${text} y`));
        const characters = Array.from(text);
        characters.slice(1).forEach((character, n) => {
          expect(kept).toContain(`${characters[n]}${character}`);
        });
      }),
    );
  });
});

describe("a query", () => {
  const db = new SQLite(":memory:");
  db.exec("CREATE VIRTUAL TABLE entry USING fts5(words, tokenize = 'unicode61 remove_diacritics 2')");

  /** Whether an index that holds the text finds what the query asks for. */
  const finds = (text: string, query: string): boolean => {
    const phrase = prepareQuery(query);
    db.exec("DELETE FROM entry");
    db.prepare("INSERT INTO entry VALUES (?)").run(prepareText(text));
    const expression = phrase && `"${phrase.words}"${phrase.prefix ? " *" : ""}`;
    const hits = db.prepare("SELECT count(*) FROM entry WHERE entry MATCH ?").pluck().get(expression);
    return hits === 1;
  };

  test.each([
    ["see src/session/readLines.ts:12", "src/session/readLines.ts"],
    ["see src/session/readLines.ts:12", "session/readLines"],
    ["see src/session/readLines.ts:12", "Lines.ts"],
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
  ])("on %j finds it by %j", (text, query) => {
    expect(finds(text, query)).toBe(true);
  });

  test.each([
    ["数据库", "数库"],
    ["大数据", "数大"],
    ["fooBar baz", "foo baz"],
    ["café", "cafés"],
  ])("on %j does not find it by %j", (text, query) => {
    expect(finds(text, query)).toBe(false);
  });

  test("of signs alone asks for nothing", () => {
    for (const query of ["", " ", "*", "--", "…", "\u0301", "\ud83d"])
      expect(prepareQuery(query)).toBeUndefined();
  });

  test("of any words of a text, as they stand there, finds it", () => {
    const word = fc.constantFrom(
      "plain",
      "fooBar",
      "HTTPServer",
      "x2Y",
      "42",
      "é",
      "addCafé",
      "数",
      "数据库",
      "の",
      "𠮷",
    );
    const sign = fc.constantFrom(" ", ".", "/", "_", " — ", "(", "+", "，");
    const parts = fc.array(fc.tuple(word, sign), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(parts, fc.nat(7), fc.nat(7), (parts, a, b) => {
        const from = Math.min(a, b, parts.length - 1);
        const query = parts
          .slice(from, Math.max(a, b) + 1)
          .flat()
          .join("");
        expect(finds(parts.flat().join(""), query)).toBe(true);
      }),
    );
  });

  test("of any part of a run of CJK finds it", () => {
    const cjk = fc.array(fc.constantFrom(..."数据库の한ー々𠮷"), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(cjk, fc.nat(8), fc.nat(8), (run, a, b) => {
        const from = Math.min(a, b, run.length - 1);
        const query = run.slice(from, Math.max(a, b) + 1).join("");
        expect(finds(`x${run.join("")}y`, query)).toBe(true);
      }),
    );
  });
});

describe("a cap", () => {
  test("leaves a text that fits, and keeps head and tail of a longer one", () => {
    expect(capText("abcdef", { head: 4, tail: 2 })).toBe("abcdef");
    expect(capText("abcdefg", { head: 4, tail: 2 })).toBe("abcd\nfg");
    expect(capText("abcdefg", { head: 4, tail: 0 })).toBe("abcd\n");
  });
});
