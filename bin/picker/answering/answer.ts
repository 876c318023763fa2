import type { QuestionName, Questions } from "../model/questions.ts";

/** Controls of a request: its signal, and a callback for partial results. */
export interface Control<N extends QuestionName> {
  signal?: AbortSignal;
  /** Sends a partial result. */
  part?: (answer: Questions[N]["answer"]) => void;
}

/** Handles a request. */
export type Answer<N extends QuestionName> = (
  ask: Questions[N]["ask"],
  control?: Control<N>,
) => Promise<Questions[N]["answer"]>;

/** Maximum length of an entry's summary, in UTF-16 code units: longer than any terminal line. */
export const MOST_PREVIEW = 300;
