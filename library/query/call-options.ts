export interface ForksOptions {
  /** Maximum number of forks, newest first. Default: 30. */
  limit?: number;
}

export interface CallOptions {
  /**
   * Cancels the call, which rejects with the signal's reason. Work stops between two steps: statements of a query, items of a stream,
   * transactions of a sync.
   */
  signal?: AbortSignal | undefined;
}
