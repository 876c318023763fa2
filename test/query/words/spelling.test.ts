import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { findCorrections } from "../../../query/words/spelling.ts";
import { Vocabulary } from "../../../query/words/vocabulary.ts";
import { SqliteSearchReads } from "../../../src/store/sqlite/search-reads.ts";
import { databaseIn, syncFolders } from "../../indexer/index-at.ts";
import { temporaryFolder } from "../../temporary.ts";

async function vocabularyOf(...texts: string[]): Promise<Vocabulary> {
  const root = temporaryFolder();
  const talk = session({});
  for (const text of texts) talk.user(text);
  talk.writeUnder(root);
  const db = await databaseIn(temporaryFolder());
  await syncFolders(db, [root]);
  return new Vocabulary(new SqliteSearchReads(db.reader, { roots: [] }), Number.MAX_SAFE_INTEGER);
}

test.each([
  ["kubernets", "kubernetes", 1],
  ["kuberentes", "kubernetes", 1],
  ["kubernetess", "kubernetes", 1],
  ["lubernetes", "kubernetes", 1],
  ["kbernets", "kubernetes", 2],
  ["connecton", "connection", 1],
  ["ошбка", "ошибка", 1],
  ["cafetira", "cafetiera", 1],
])("%s is corrected to %s", async (word, meant, edits) => {
  const vocabulary = await vocabularyOf("kubernetes connection ошибка Cafétiéra and others");
  expect(await findCorrections(word, vocabulary)).toMatchObject([{ word: meant, edits }]);
});

test.each(["npm", "xyzzyqux", "12345", "コード", "kub3rnetes", "q".repeat(40)])(
  "%s has no corrections",
  async (word) => {
    expect(await findCorrections(word, await vocabularyOf("nmp kubernetes code"))).toEqual([]);
  },
);

test("a short word with another first letter is another word, unless the first two are swapped", async () => {
  const vocabulary = await vocabularyOf("tail build coda");
  expect(await findCorrections("fail", vocabulary)).toEqual([]);
  expect(await findCorrections("guild", vocabulary)).toEqual([]);
  expect(await findCorrections("ubild", vocabulary)).toMatchObject([{ word: "build" }]);
  expect(await findCorrections("cofa", vocabulary)).toMatchObject([{ word: "coda" }]);
});

test("the word in more entries comes first", async () => {
  const vocabulary = await vocabularyOf("former", "format", "format it", "format again");
  const words = (await findCorrections("formet", vocabulary)).map(({ word }) => word);
  expect(words).toEqual(["format", "former"]);
});

test("a word without remaining entries is not a correction", async () => {
  const root = temporaryFolder();
  const talk = session({}).user("kubernetes");
  const path = talk.writeUnder(root);
  const db = await databaseIn(temporaryFolder());
  await syncFolders(db, [root]);
  session({}).user("something else").write(path);
  await syncFolders(db, [root]);
  const vocabulary = () =>
    new Vocabulary(new SqliteSearchReads(db.reader, { roots: [] }), Number.MAX_SAFE_INTEGER);
  expect(await vocabulary().filterKnown(["kubernetes"])).toEqual([]);
  // In a very large index, words are removed only later.
  db.writer.prepare("INSERT INTO vocabulary VALUES ('kubernetes')").run();
  expect(await vocabulary().filterKnown(["kubernetes"])).toEqual(["kubernetes"]);
  expect(await findCorrections("kubernets", vocabulary())).toEqual([]);
});
