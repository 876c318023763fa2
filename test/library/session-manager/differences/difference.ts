import type { Compared } from "../implementations.ts";

/** What each implementation does, as the test words it. */
export interface Difference extends Record<Compared, string> {
  when: string;
  why: string;
  /** If pi 1.5.2 differs too: the beginning of the row in docs/session-manager.md that documents it. */
  docs?: string;
}

export const NEW = "as 1.5, which added it";
export const NO_METHOD = "not available";
export const ID_ERROR =
  "no error; throws: Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end " +
  "with an alphanumeric character";
