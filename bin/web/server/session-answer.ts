/** The details of a session that the page shows above the transcript. */
import { type Index, PidexError, type SessionInfo } from "../../../library/index.ts";
import { secondsSinceWritten } from "../../actions/active-sessions.ts";
import {
  assertAgentInstalled,
  assertFolderExists,
  getResumeCommand,
  type ResumeCommand,
} from "../../actions/resume.ts";
import type { SessionAnswer, SessionLink } from "../api/session-answers.ts";

/** Maximum number of problems listed. The problems page lists all. */
const MAX_PROBLEMS = 20;

/** @throws as `Index.find` */
export async function getSessionAnswer(index: Index, reference: string): Promise<BeforeJson> {
  const session = await index.find(reference);
  const { path } = session;
  const spend = await index.spend(path);
  const problems = session.problemCount > 0 ? await index.problems(path) : [];
  const seconds = secondsSinceWritten(session);
  const { own, inherited, subagents } = spend;
  const subagentsUsd = subagents.reduce((sum, { figures }) => sum + figures.costUsd, 0);
  const { parentSessionPath, startedBy } = session;
  return {
    session,
    spend: {
      ownUsd: own.costUsd,
      inheritedUsd: inherited.costUsd,
      subagentsUsd,
      tokens: own.tokens.total,
    },
    ...(parentSessionPath && { parent: await linkTo(index, parentSessionPath) }),
    ...(startedBy && { starter: await linkTo(index, startedBy) }),
    forks: spend.forks.map(({ session, figures }) => link(session, figures.costUsd)),
    subagents: subagents.map(({ session, figures }) => link(session, figures.costUsd)),
    labels: await index.labels(path),
    problems: { count: session.problemCount, first: problems.slice(0, MAX_PROBLEMS) },
    resume: toResume(session),
    ...(seconds !== undefined && { secondsSinceWritten: seconds }),
  };
}

/** The answer before conversion to JSON: sessions still have Dates. */
type BeforeJson = Omit<SessionAnswer, "session" | "forks" | "subagents" | "parent" | "starter"> & {
  session: SessionInfo;
  forks: object[];
  subagents: object[];
};

function link(info: SessionInfo, costUsd: number): Omit<SessionLink, "session"> & { session: object } {
  const { path, id, cwd, modified, created, messageCount, name, firstMessage, model } = info;
  return { session: { path, id, cwd, modified, created, messageCount, name, firstMessage, model }, costUsd };
}

/** A link to a referenced session, which may no longer exist. */
async function linkTo(index: Index, path: string): Promise<object> {
  try {
    const session = await index.find(path);
    return link(session, 0);
  } catch (error) {
    if (error instanceof PidexError && error.code === "NOT_FOUND") return { path };
    throw error;
  }
}

function toResume(session: SessionInfo): ResumeCommand & { whyNot?: string } {
  const command = getResumeCommand(session);
  try {
    assertFolderExists(command);
    assertAgentInstalled(command);
    return command;
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    return { ...command, whyNot: error.message };
  }
}
