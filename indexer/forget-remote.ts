import type { ClientBase } from "pg";
import { forgetFile } from "../src/store/postgres/files.ts";
import { unsettleNeighbors } from "./hub-ledger.ts";

/** Deletes a file with all its rows, in the caller's transaction. Events that it owned count in other files once these are settled. */
export async function forgetRemote(client: ClientBase, file: { shelf: number; id: number }): Promise<void> {
  await unsettleNeighbors(client, file);
  await forgetFile(client, file);
}
