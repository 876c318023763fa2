/** An answer in both forms that agents take: text that a model reads, and the same as data. */
export interface Answer<T> {
  text: string;
  data: T;
}

/** What goes along with a question. */
export interface Control {
  signal?: AbortSignal;
  /** Told how far a first index is, where that is waited for. */
  onProgress?: (progress: Progress) => void;
  /** The tool that asks, by the name its caller knows: sessions that wait for its result are taken for the one that asks. */
  tool?: string;
}

/** Files that were read, of those that are to be. */
export interface Progress {
  done: number;
  total: number;
}
