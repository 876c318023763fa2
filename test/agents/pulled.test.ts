/** Sessions of every agent, pushed by one machine and pulled by another. */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { getResumeCommand } from "../../bin/actions/resume.ts";
import { agentHome, writeHome } from "../../fixtures/agents.ts";
import { openIndex } from "../../library/index.ts";
import { toAppend } from "../bin/hub/hubs.ts";
import { startTwoMachines } from "../library/hub/two-machines.ts";
import { hasPostgres } from "../store/postgres/databases.ts";
import { temporaryFolder } from "../temporary.ts";

/** The sessions that pidex finds without options in a home folder. */
async function listHome(home: string) {
  vi.stubEnv("HOME", home);
  for (const name of Object.keys(process.env))
    if (/^(PI|PIDEX|XDG|OPENCLAW|OMP|GSD|ATOMIC|PRIME)_/.test(name)) vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  await using index = await openIndex({ db: join(temporaryFolder(), "index.db") });
  await index.sync();
  const { sessions } = await index.listAll({ subagents: "yes" });
  const facts = sessions.map(({ id, agent, subagent, path, cwd }) => {
    const { argv } = getResumeCommand({ path, cwd });
    return { id, agent, subagent, argv: argv.map((argument) => (argument === path ? "PATH" : argument)) };
  });
  return { sessions, facts: facts.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

test.skipIf(!hasPostgres)(
  "pulled sessions have the agents, profiles and subagents that they have on their machine",
  async () => {
    const { hub, desktop } = await startTwoMachines();
    const home = temporaryFolder();
    writeHome(home, agentHome());
    const origin = await listHome(home);
    expect(new Set(origin.facts.map(({ agent }) => agent)).size).toBe(7);
    for (const { path, subagent } of origin.sessions) {
      const { header, bytes } = toAppend(`/home/ada/${relative(home, path)}`, readFileSync(path));
      await hub.owner.client.append({ ...header, subagent }, bytes);
    }
    await desktop.pull();
    expect((await listHome(desktop.home)).facts).toEqual(origin.facts);
  },
);
