import { getOrInsert } from "../get-or-insert.ts";
import type { SessionModelRow } from "./session-reads.ts";

/** Models by file, in the order of the rows. */
export function groupModels(rows: readonly SessionModelRow[]): Map<number, string[]> {
  const models = new Map<number, string[]>();
  for (const { file_id: file, model } of rows) getOrInsert(models, file, () => []).push(model);
  return models;
}
