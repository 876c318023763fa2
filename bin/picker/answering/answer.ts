import type { QuestionName, Questions } from "../model/questions.ts";

/** How a question is answered: at once, or in parts. */
export interface Control<N extends QuestionName> {
  signal?: AbortSignal;
  /** Hands over what is known so far. */
  part?: (answer: Questions[N]["answer"]) => void;
}

/** Answers a question. */
export type Answer<N extends QuestionName> = (
  ask: Questions[N]["ask"],
  control?: Control<N>,
) => Promise<Questions[N]["answer"]>;

/** More of what an entry is about than a line of a terminal shows. */
export const MOST_PREVIEW = 300;
