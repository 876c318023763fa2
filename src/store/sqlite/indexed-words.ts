/** Creates the virtual table that lists the words of the full-text index with their number of entries. */
export const CREATE_INDEXED_WORDS =
  "CREATE VIRTUAL TABLE IF NOT EXISTS temp.indexed_word USING fts5vocab('main', 'entry_text', 'row')";
