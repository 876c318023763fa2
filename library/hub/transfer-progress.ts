/** How far a push or a pull is. */
export interface TransferProgress {
  filesDone: number;
  filesTotal: number;
  /** Of session files, before compression. */
  bytesDone: number;
  bytesTotal: number;
}
