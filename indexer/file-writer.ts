import type { EntryId } from "../src/session/entries.ts";
import type { Problem } from "../src/session/problems.ts";
import { CurrentBranch } from "./branch.ts";
import type { Chunk } from "./chunks.ts";
import type { CandidateFile } from "./discover.ts";
import type { RowWriter } from "./rows.ts";
import { getModifiedTime, type SessionSummaryRow } from "./summarize.ts";

const OUTSIDE: Problem = {
  code: "outside_roots",
  byteOffset: 0,
  line: 0,
  message: "a link leads outside the session folders, to a file that is not a session",
};

/** Writes the rows of one file. */
export class FileWriter {
  readonly #rowWriter: RowWriter;
  readonly #id: number;
  readonly #file: CandidateFile;
  readonly #branch: CurrentBranch;
  #summary: SessionSummaryRow | undefined;

  /**
   * @param id the row id of the file
   * @param from the cursor that reading starts at: problems after it are dropped and will be reported again
   */
  constructor(
    rowWriter: RowWriter,
    id: number,
    file: CandidateFile,
    from: { offset: number; leafId: EntryId | null },
  ) {
    this.#rowWriter = rowWriter;
    this.#id = id;
    this.#file = file;
    this.#branch = new CurrentBranch(rowWriter.branches, id, from.leafId);
    rowWriter.dropProblems(id, from.offset);
    if (from.offset === 0) rowWriter.ledger.onReadFromStart(id);
  }

  add({ entries, problems, summary, models, state }: Chunk): void {
    const [rowWriter, fileId] = [this.#rowWriter, this.#id];
    const { id = "", parent_session: parent = null, created = null } = summary ?? {};
    const file = { fileId, path: this.#file.path, id, parent, created, version: state.version };
    for (const entry of entries) {
      const { line, extracted } = entry;
      this.#branch.add(line, extracted.id, extracted.parentId);
      rowWriter.addEntry(file, entry);
    }
    for (const problem of problems) rowWriter.addProblem(fileId, problem);
    for (const model of models) rowWriter.countModel(fileId, model);
    this.#summary = summary;
  }

  /**
   * Saves the session's row. Call it after the last `add` of each transaction.
   *
   * @param goesOn whether another transaction adds more: what takes longer the more entries there are is done in the last one
   */
  finish(mtimeNs: bigint, goesOn = false): void {
    if (goesOn) this.#branch.saveKnown();
    else if (this.#branch.save()) this.#rowWriter.ledger.onBranchChanged(this.#id);
    if (!this.#summary) {
      // Problem messages may quote lines, so those of files outside the roots that are not sessions are dropped.
      if (this.#file.isOutsideRoots && this.#rowWriter.dropProblems(this.#id, 0).changes > 0)
        this.#rowWriter.addProblem(this.#id, OUTSIDE);
      return;
    }
    const { tags, ...session } = this.#summary;
    const modified = getModifiedTime(this.#summary, String(mtimeNs));
    this.#rowWriter.saveSession({ ...session, file_id: this.#id, modified });
    this.#rowWriter.tags.save(this.#id, tags);
  }
}
