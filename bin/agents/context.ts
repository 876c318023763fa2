import type { Redactor } from "../../library/internal.ts";
import type { Control } from "./answer.ts";
import type { AskingSession } from "./asking.ts";
import type { Outlines } from "./outlines.ts";

/** Everything besides the index that a request needs. */
export interface Context {
  asking: AskingSession;
  /** Masks secrets; undefined if they are shown. */
  redactor: Redactor | undefined;
  control: Control;
  outlines: Outlines;
}
