/** What the page says of a session above its transcript. */
import { type Index, PidexError, type SessionInfo } from "../../../library/index.ts";
import { secondsSinceWritten } from "../../actions/at-work.ts";
import { assertAgent, assertFolder, type ResumeCommand, resumeCommand } from "../../actions/resume.ts";
import type { SessionAnswer, SessionLink } from "../api/session-answers.ts";

/** Problems that are told; all are told where all problems are. */
const MOST_PROBLEMS = 20;

/** @throws as `Index.find` */
export async function aboutSession(index: Index, asked: string): Promise<Told> {
  const session = await index.find(asked);
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
    problems: { count: session.problemCount, first: problems.slice(0, MOST_PROBLEMS) },
    resume: resumeOf(session),
    ...(seconds !== undefined && { secondsSinceWritten: seconds }),
  };
}

/** The answer before it went through JSON: its sessions have Dates yet. */
type Told = Omit<SessionAnswer, "session" | "forks" | "subagents" | "parent" | "starter"> & {
  session: SessionInfo;
  forks: object[];
  subagents: object[];
};

function link(info: SessionInfo, costUsd: number): Omit<SessionLink, "session"> & { session: object } {
  const { path, id, cwd, modified, created, messageCount, name, firstMessage, model } = info;
  return { session: { path, id, cwd, modified, created, messageCount, name, firstMessage, model }, costUsd };
}

/** A session that another one names, which may be gone. */
async function linkTo(index: Index, path: string): Promise<object> {
  try {
    const session = await index.find(path);
    return link(session, 0);
  } catch (error) {
    if (error instanceof PidexError && error.code === "NOT_FOUND") return { path };
    throw error;
  }
}

function resumeOf(session: SessionInfo): ResumeCommand & { whyNot?: string } {
  const command = resumeCommand(session);
  try {
    assertFolder(command);
    assertAgent(command);
    return command;
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    return { ...command, whyNot: error.message };
  }
}
