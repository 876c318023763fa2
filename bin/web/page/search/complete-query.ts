import type { Answers } from "../../api/answers.ts";
import { apiGet } from "../shell/api.ts";
import { LimitedMap } from "../shell/limited-map.ts";

/** The field of the search, and the query that is run, ask for the completions of the same text. */
const answers = new LimitedMap<string, Promise<Answers["complete"]>>(20);

/** The completions at the end of a text. */
export function completeQuery(text: string): Promise<Answers["complete"]> {
  const known = answers.get(text);
  if (known) return known;
  const answer = apiGet("complete", { query: text, at: text.length });
  answers.set(text, answer);
  answer.catch(() => answers.delete(text)); // the next call may succeed
  return answer;
}

/** Forgets all completions: the index has changed. */
export function forgetCompletions(): void {
  answers.clear();
}
