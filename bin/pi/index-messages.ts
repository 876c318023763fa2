/** What the extension and the process that has the index say to each other, one JSON message each. */
import type { Answer, Progress } from "../agents/answer.ts";
import type { ListAnswer, ReadAnswer, SearchAnswer, UsageAnswer } from "../agents/answers.ts";
import type { AskingSession } from "../agents/asking.ts";
import type { ListAsked, ReadAsked, SearchAsked, UsageAsked } from "../agents/questions.ts";

/** What can be asked: the question, and the data of its answer. */
export interface Asks {
  search: [SearchAsked, SearchAnswer];
  read: [ReadAsked, ReadAnswer];
  list: [ListAsked, ListAnswer];
  usage: [UsageAsked, UsageAnswer];
}

export type ToIndex =
  | { id: number; ask: keyof Asks; question: unknown; asking: AskingSession }
  /** The answer to this question is not wanted any more. */
  | { cancel: number }
  /** Bring the index up to date; nobody waits for it. */
  | { sync: true };

export type FromIndex =
  | { id: number; answer: Answer<unknown> }
  | { id: number; error: ToldError }
  /** How far a first index is, which the question waits for. */
  | { id: number; progress: Progress }
  /** Something the user ought to know, which no question asked for. */
  | { notice: string };

/** A PidexError as a message; of another error there is the message alone. */
export interface ToldError {
  message: string;
  code?: string;
  hint?: string;
}
