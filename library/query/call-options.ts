export interface ForksOptions {
  /** Maximum number of forks, newest first. Default: 30. */
  limit?: number;
}

export interface CallOptions {
  /**
   * Cancels the call, which rejects with the signal's reason. Syncs, scans and streams stop between two steps; other work is not
   * interrupted once it has started.
   */
  signal?: AbortSignal | undefined;
}
