import { toOneLine } from "../../../format/safe.ts";
import type { SessionAnswer } from "../../api/session-answers.ts";

/**
 * Copies a text.
 *
 * @param instead what to use if the browser refuses
 * @returns what to say about it: whether it worked
 */
export async function copyText(text: string, what: string, instead = text): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return `Copied ${what}.`;
  } catch {
    return `This browser does not let the page copy: ${instead}`;
  }
}

type Resume = NonNullable<SessionAnswer["resume"]>;

/** Copies the command that resumes a session, unless it would fail in any case. @returns what to say about it */
export async function copyResumeCommand(resume: Resume): Promise<string> {
  const failure = explainCertainFailure(resume);
  if (failure !== undefined) return failure;
  const outcome = await copyText(resume.line, "the resume command");
  const doubt = explainNoResume(resume);
  return doubt === undefined ? outcome : `${outcome} ${doubt}`;
}

/** Why the command that resumes a session would fail wherever it is pasted on this machine, and what to do; undefined if it may work. */
export function explainCertainFailure(resume: Resume): string | undefined {
  // The agent may be on the user's PATH, though it is not on that of `pidex serve`.
  if (!resume.whyNot || resume.whyNot.code === "AGENT_MISSING") return undefined;
  return `${explainNoResume(resume)}. ${toOneLine(resume.whyNot.hint)}`;
}

/** Why a session cannot be resumed on this machine; undefined if it can. */
export function explainNoResume({ whyNot }: Resume): string | undefined {
  return whyNot && `Cannot resume here: ${toOneLine(whyNot.message)}`;
}
