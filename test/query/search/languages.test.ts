import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { indexed } from "../opened-queries.ts";

/** Text, queries that find it, and queries that must not. */
const SAID: [said: string, finds: string[], not: string[]][] = [
  [
    "我们在全文索引中检索数据库的词语",
    ["索", "数据", "数据库", "检索数据", "的词"],
    ["数库", "据数", "索引检"],
  ],
  ["これは日本語のデータベースです", ["語", "日本", "日本語", "データ", "のデ"], ["本日", "日語", "テータ"]],
  ["か\u3099んばる", ["がん", "が", "がんばる"], ["かん"]],
  ["한국어 검색을 합니다", ["검색", "국", "한국어", "검색을"], ["색검", "한어"]],
  ["ภาษาไทยน่าเรียน", ["ภาษาไทย", "ไทย", "ภาษาไทยน่าเรียน"], ["ไทยภาษา", "ไนย"]],
  ["release🎉done ✅passed", ["🎉", "✅", "release", "passed", "✅passed"], ["🎊", "donepassed"]],
  ["by 👩\u200d💻 and 👍🏽", ["👩\u200d💻", "💻", "👍", "👍🏿"], ["💻\u200d👩", "👨\u200d💻"]],
  ["from 🇺🇦 with ❤\ufe0f", ["🇺🇦", "❤"], ["🇺🇸", "🇦🇺", "💔"]],
  ["Ещё одна ошибка, мой друг", ["еще", "ЕЩЁ", "ошибка", "мой"], ["мои", "ошиб"]],
  ["قال مُحَمَّد شكرا", ["محمد", "مُحَمَّد", "محمـد"], ["محمود"]],
  ["ο Άνθρωπος και η οδός", ["ανθρωπος", "ΆΝΘΡΩΠΟΣ", "οδος"], ["ανθρωπ"]],
  ["हिन्दी में खोज", ["हिन्दी", "खोज"], ["हन्द", "हिन्द"]],
  [
    "tiếng Việt đường phố Øresund Straße",
    ["tieng viet", "duong", "oresund", "strasse"],
    ["tieng viet nam", "uong"],
  ],
  ["Ｆｕｌｌ ｶﾀｶﾅ ﬁnal", ["full", "カタカナ", "final"], ["カナカ"]],
  ["port it from C++ to Rust", ["C++", "c++", '"from C++ to"'], ["C#", "C+++x"]],
  ["in C# we trust", ["c#", "C"], ["C++", "F#"]],
  ["plain C code", ["C"], ["C++", "C#"]],
  ["run it with --no-sync please", ["--no-sync", "no-sync"], ["--sync-no", "nosync"]],
  ["then a.b() was called", ["a.b()", '"a.b() was"'], ["b.a()"]],
  [
    "see src/session/readLines.ts:42",
    ["src/session/readlines.ts", "SRC/SESSION/READLINES.TS", "lines"],
    ["src/readlines.ts", '"read lines ts"'],
  ],
  ["the session_manager starts", ["session_manager", "manager"], ["manager_session", "sessionmanager"]],
  [
    "call parseSessionEntries now",
    ["parsesessionentries", "session", '"session entries"', "parseSess*"],
    ['"parse entries"', "sessionentries", '"parsesessionentries parse"'],
  ],
  [
    "    at Object.readSession (/app/src/index.js:10:15)",
    ["Object.readSession", "index.js:10:15", "/app/src/index.js"],
    ["index.js:15:10"],
  ],
  ["C:\\Users\\Ada Lovelace\\notes.txt", ["C:\\Users\\Ada", "users\\ada", "notes.txt"], ["C:\\Ada"]],
  [
    "https://example.com/path?query=1&b=2#frag",
    ["https://example.com/path", "example.com", "query=1"],
    ["example.org", "com.example"],
  ],
  ["upgrade to v1.2.3 today", ["v1.2.3", "2.3"], ["1.2.4", "3.2"]],
  ["version 1.2.3 now", ["1.2.3"], ["1.3.2", "v1.2.3"]],
  ["commit 3f2a9c1e7b fixed it", ["3f2a9c1e7b", "3f2a9*"], ["3f2a9", "2a9c1e7b"]],
];

describe("text is found by its own words only", () => {
  test.each(SAID)("%s", async (said, finds, not) => {
    const { index } = await indexed(session().user(said));
    const found = async (query: string) => (await index.search(query, { strict: true })).hitCount > 0;
    for (const query of finds) expect([query, await found(query)]).toEqual([query, true]);
    for (const query of not) expect([query, await found(query)]).toEqual([query, false]);
  });

  test.each(SAID)("and its snippet highlights them: %s", async (said, finds) => {
    const { index } = await indexed(session().user(said));
    for (const query of finds) {
      const { sessions } = await index.search(query);
      expect([query, sessions[0]?.hits[0]?.snippet.ranges.length]).not.toEqual([query, 0]);
    }
  });
});
