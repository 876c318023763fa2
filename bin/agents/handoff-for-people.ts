/** The brief of a session for people, who hand it on themselves: `pidex handoff`, the page and the picker. */
import type { EntryId, IndexQueries } from "../../library/index.ts";
import { loadRedactor } from "../../library/internal.ts";
import type { Answer } from "./answer.ts";
import type { HandoffAnswer } from "./answers.ts";
import { writeHandoff } from "./handoff.ts";
import { OutlineCache } from "./outline-cache.ts";

/** Maximum length by default, in tokens. */
const DEFAULT_TOKENS = 4000;

export interface HandoffOptions {
  /** As `Index.find` takes it, or a citation. */
  session: string;
  /** The last entry of the branch. Default: that of the current branch. */
  leaf?: EntryId | undefined;
  /** Maximum length of the text, in tokens. */
  tokens?: number | undefined;
  /** Whether to mask likely secrets, as by default: another agent will read the brief. */
  redact?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** The brief as Markdown and as data, of which only the text counts as tokens. @throws as `writeHandoff` */
export async function writeHandoffForPeople(
  index: IndexQueries,
  { session, leaf, tokens = DEFAULT_TOKENS, redact = true, signal }: HandoffOptions,
): Promise<Answer<HandoffAnswer>> {
  const redactor = redact ? await loadRedactor() : undefined;
  const context = { index, except: undefined, redactor, signal, outlines: new OutlineCache(index) };
  return writeHandoff({ session, leaf, max_tokens: tokens }, context, ({ data }) => data.tokens);
}
