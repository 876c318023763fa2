import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Session } from "../../../fixtures/builder.ts";
import { folderName } from "../../../fixtures/names.ts";
import { temporaryFolder } from "../../temporary.ts";

/** A temporary folder with the agent, its home, the index and the project, removed after the test. */
export interface Stage {
  folder: string;
  /** The project folder of sessions. It is not created. */
  cwd: string;
  /** The value of `PI_CODING_AGENT_DIR`. */
  agent: string;
  /** The default session folder of `cwd`. */
  home: string;
  /** Writes a session, or any text, at a path below `folder`. */
  write(name: string, content: Session | string): string;
  /** Writes a session to the default folder of its cwd. */
  writeHome(session: Session): string;
}

export function stage(): Stage {
  const folder = realpathSync(temporaryFolder());
  const cwd = join(folder, "shop");
  const agent = join(folder, "agent");
  setVariable("HOME", folder);
  setVariable("PI_CODING_AGENT_DIR", agent);
  setVariable("PIDEX_DB", join(folder, "cache", "index.db"));
  const write = (name: string, content: Session | string): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : content.bytes());
    return path;
  };
  return {
    folder,
    cwd,
    agent,
    home: join(agent, "sessions", folderName(cwd)),
    write,
    writeHome: (session) =>
      write(join("agent", "sessions", folderName(session.cwd), session.fileName), session),
  };
}

export function setVariable(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}

/** Returns the parsed lines of a file, or none if it does not exist. */
export function linesOf(path: string | undefined): Record<string, unknown>[] {
  if (!path || !existsSync(path)) return [];
  const text = readFileSync(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Returns "throws: " and the message of a call's error, or "no error". */
export function outcomeOf(call: () => unknown): string {
  try {
    call();
    return "no error";
  } catch (error) {
    return `throws: ${error instanceof Error ? error.message : error}`;
  }
}
