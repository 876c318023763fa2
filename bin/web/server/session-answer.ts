/** The details of a session that the page shows above the transcript. */
import { type IndexQueries, PidexError, type SessionInfo } from "../../../library/index.ts";
import { secondsSinceWritten } from "../../actions/active-sessions.ts";
import { isLocalIndex } from "../../actions/index-location.ts";
import {
  assertAgentInstalled,
  assertCanBeOpened,
  assertFolderExists,
  getResumeCommand,
  withMappedFolder,
} from "../../actions/resume.ts";
import type { Reply } from "../api/answers.ts";
import type { SessionAnswer } from "../api/session-answers.ts";

/** Maximum number of problems listed. The problems page lists all. */
const MAX_PROBLEMS = 20;

/** @throws as `Index.find` */
export async function getSessionAnswer(index: IndexQueries, reference: string): Promise<Reply<"session">> {
  const session = await index.find(reference);
  const { path } = session;
  const spend = await index.spend(path);
  const problems = session.problemCount > 0 ? await index.problems(path) : [];
  const isLocal = isLocalIndex(index);
  const seconds = isLocal ? secondsSinceWritten(session) : undefined;
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
    ...(isLocal && { resume: await toResume(session) }),
    ...(seconds !== undefined && { secondsSinceWritten: seconds }),
  };
}

function link(info: SessionInfo, costUsd: number) {
  const { path, id, cwd, modified, created, messageCount, name, firstMessage, computedTitle, model } = info;
  return {
    session: { path, id, cwd, modified, created, messageCount, name, firstMessage, computedTitle, model },
    costUsd,
  };
}

/** A link to a referenced session, which may no longer exist. */
async function linkTo(index: IndexQueries, path: string) {
  try {
    return link(await index.find(path), 0);
  } catch (error) {
    if (error instanceof PidexError && error.code === "NOT_FOUND") return { path };
    throw error;
  }
}

async function toResume(session: SessionInfo): Promise<SessionAnswer["resume"]> {
  const command = getResumeCommand(await withMappedFolder(session));
  try {
    assertCanBeOpened(command);
    assertFolderExists(command);
    assertAgentInstalled(command);
    return command;
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    const { code, message, hint } = error;
    return { ...command, whyNot: { code, message, hint } };
  }
}
