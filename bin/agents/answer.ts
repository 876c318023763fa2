/** An answer in both forms: text for a model, and the same content as data. */
export interface Answer<T> {
  text: string;
  data: T;
}

/** Options of any request. */
export interface RequestOptions {
  signal?: AbortSignal;
  /** Called with the progress of the first index while the request waits for it. */
  onProgress?: (progress: Progress) => void;
  /** The name of the calling tool. Sessions with a pending call of it are treated as the current session. */
  tool?: string;
}

/** Files read so far, of all files to read. */
export interface Progress {
  done: number;
  total: number;
}
