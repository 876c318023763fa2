import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { fillVocabulary } from "../../indexer/vocabulary.ts";
import { forEachPlainWord } from "../../src/store/words/plain-words.ts";
import { prepareText } from "../../src/store/words/prepare-text.ts";
import { temporaryFolder } from "../temporary.ts";
import { databaseIn, syncFolders } from "./index-at.ts";

const TEXT = "Naïve parseSession v20 подождите 数据库 a1b2 it ΚΑΛΗΜΕΡΑ x-y under_score";
const WORDS = ["naive", "parse", "parsesession", "score", "session", "under", "καλημερα", "подождите"];

const vocabulary = (db: Awaited<ReturnType<typeof databaseIn>>) =>
  db.writer.prepare("SELECT word FROM vocabulary ORDER BY word").pluck().all();

test("has the folded words that consist of letters only", async () => {
  const root = temporaryFolder();
  session({}).user(TEXT).writeUnder(root);
  const db = await databaseIn(temporaryFolder());
  await syncFolders(db, [root]);
  expect(vocabulary(db)).toEqual(WORDS);
});

test("is the same whether it is filled with each entry or from the full-text index", async () => {
  const root = temporaryFolder();
  session({}).user(TEXT).assistant("Then the rest of it.").writeUnder(root);
  const db = await databaseIn(temporaryFolder());
  await syncFolders(db, [root]);
  const before = vocabulary(db);
  db.writer.exec("DELETE FROM vocabulary");
  await fillVocabulary(db.writer);
  expect(vocabulary(db)).toEqual(before);
});

test("adds a word again after its entry was rolled back", async () => {
  const words = new Set<string>();
  forEachPlainWord(prepareText("one two three three"), (word) => words.add(word));
  expect([...words]).toEqual(["one", "two", "three"]);
});
