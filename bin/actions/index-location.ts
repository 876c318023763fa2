/** Where the index and its sessions are, for threads that open it. Undefined means the default. */
export interface IndexLocation {
  db: string | undefined;
  roots: string[] | undefined;
}
