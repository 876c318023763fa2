import type { QuestionName, Questions } from "../model/questions.ts";

/** Controls of a request: its signal, and a callback for partial results. */
export interface Control<N extends QuestionName> {
  signal?: AbortSignal;
  /** Sends a partial result. */
  part?: (result: Questions[N]["result"]) => void;
}

/** Handles a request. */
export type Answer<N extends QuestionName> = (
  params: Questions[N]["params"],
  control?: Control<N>,
) => Promise<Questions[N]["result"]>;

/** Maximum length of an entry's summary, in UTF-16 code units: longer than any terminal line. */
export const MOST_PREVIEW = 300;
