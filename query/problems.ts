import type { Store } from "../src/store/store.ts";
import type { FileProblem } from "./answers.ts";

/** Problems in the files of one session or of all, by file and offset. */
export async function listProblems(store: Store, fileId?: number): Promise<FileProblem[]> {
  const rows = await (await store.entries()).listProblems(fileId);
  return rows.map(({ path, code, line, byte_offset: byteOffset, message }) => ({
    path,
    code,
    line,
    byteOffset,
    message,
  }));
}
