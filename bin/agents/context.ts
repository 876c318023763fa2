import type { Redactor } from "../../library/internal.ts";
import type { Control } from "./answer.ts";
import type { AskingSession } from "./asking.ts";
import type { Outlines } from "./outlines.ts";

/** What a question is answered with, besides the index. */
export interface Context {
  asking: AskingSession;
  /** Masks secrets; undefined where they are told. */
  redactor: Redactor | undefined;
  control: Control;
  outlines: Outlines;
}
