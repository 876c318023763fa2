import type { Answers } from "../../api/answers.ts";
import { apiGet, apiUrl } from "../shell/api.ts";
import { LimitedMap } from "../shell/limited-map.ts";
import { type SearchState, toCompletionParams } from "./search-state.ts";

/** The field of the search, and the query that is run, ask for the completions of the same text. */
const answers = new LimitedMap<string, Promise<Answers["complete"]>>(20);

/** The completions at the end of a text, counted as the search with the filters of a state would. */
export function completeQuery(text: string, state: SearchState): Promise<Answers["complete"]> {
  const params = toCompletionParams(text, state);
  const url = apiUrl("complete", params);
  const known = answers.get(url);
  if (known) return known;
  const answer = apiGet("complete", params);
  answers.set(url, answer);
  answer.catch(() => answers.delete(url)); // the next call may succeed
  return answer;
}

/** Forgets all completions: the index has changed. */
export function forgetCompletions(): void {
  answers.clear();
}
