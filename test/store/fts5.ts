import SQLite from "better-sqlite3";

/** A full-text table as created by the migrations, for one text at a time. */
const db = new SQLite(":memory:");
db.exec(`
  CREATE VIRTUAL TABLE entry USING fts5(words, tokenize = 'unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE token USING fts5vocab(entry, 'instance')`);
const remove = db.prepare("DELETE FROM entry");
const insert = db.prepare("INSERT INTO entry VALUES (?)");
const tokens = db.prepare<[], string>("SELECT term FROM token ORDER BY offset").pluck();
const match = db.prepare<[string], number>("SELECT count(*) FROM entry WHERE entry MATCH ?").pluck();

/** The words that FTS5 stores for a prepared text, in order. */
export function storedWords(prepared: string): string[] {
  store(prepared);
  return tokens.all();
}

/** Whether FTS5 finds a phrase in a prepared text. */
export function findsPhrase(prepared: string, words: string, prefix: boolean): boolean {
  store(prepared);
  return match.get(`"${words}"${prefix ? " *" : ""}`) === 1;
}

function store(prepared: string): void {
  remove.run();
  insert.run(prepared);
}
