import type { ClientBase } from "pg";
import { forgetFile } from "../src/store/postgres/files.ts";
import { unsettleNeighbors } from "./hub-ledger.ts";

/** A file of a hub. `path` is in the notation of `toLedgerPath`. */
export interface ForgottenFile {
  shelf: number;
  id: number;
  path: string;
}

/** Deletes a file with all its rows, in the caller's transaction. Events that it owned count in other files once these are settled. */
export async function forgetRemote(client: ClientBase, { shelf, id, path }: ForgottenFile): Promise<void> {
  await unsettleNeighbors(client, shelf, { id, path });
  await forgetFile(client, { shelf, id });
}
