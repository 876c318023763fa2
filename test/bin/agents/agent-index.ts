import { join } from "node:path";
import { onTestFinished } from "vitest";
import { AgentIndex, type AgentIndexOptions } from "../../../bin/agents/agent-index.ts";
import type { Session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";

/** An agent index over the given sessions, closed at the end of the test. */
export async function agentIndex(sessions: readonly Session[], options: AgentIndexOptions = {}) {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const paths = sessions.map((each) => each.writeUnder(root));
  const agents = await AgentIndex.open({ db: join(folder, "index.db"), roots: [root], ...options });
  onTestFinished(() => agents.close());
  return { agents, paths, root };
}
