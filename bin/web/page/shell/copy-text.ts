import { toOneLine } from "../../../format/safe.ts";
import type { SessionAnswer } from "../../api/session-answers.ts";

/** Copies a text. @returns what to say about it: whether it worked */
export async function copyText(text: string, what: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return `Copied ${what}.`;
  } catch {
    return `This browser does not let the page copy: ${text}`;
  }
}

/** Copies the command that resumes a session, unless it would fail in any case. @returns what to say about it */
export async function copyResumeCommand(resume: NonNullable<SessionAnswer["resume"]>): Promise<string> {
  const whyNot = explainNoResume(resume);
  // The agent may be on the user's PATH, though it is not on that of `pidex serve`.
  if (whyNot !== undefined && resume.whyNot?.code !== "AGENT_MISSING") return whyNot;
  const outcome = await copyText(resume.line, "the resume command");
  return whyNot === undefined ? outcome : `${outcome} ${whyNot}`;
}

/** Why a session cannot be resumed on this machine; undefined if it can. */
export function explainNoResume({ whyNot }: NonNullable<SessionAnswer["resume"]>): string | undefined {
  return whyNot && `Cannot resume here: ${toOneLine(whyNot.message)}`;
}
