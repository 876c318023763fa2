import { readdirSync, readFileSync, realpathSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { type Session, session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidexAt } from "../cli.ts";

export const isRoot = process.getuid?.() === 0;

/**
 * A home folder with pi's folders and a trash, without a `trash` command. Files have the times of their sessions, so none looks
 * active.
 */
export function createWorkspace() {
  const folder = realpathSync(temporaryFolder());
  const agent = join(folder, "agent");
  const root = join(agent, "sessions");
  vi.stubEnv("HOME", folder);
  vi.stubEnv("XDG_DATA_HOME", join(folder, "data"));
  vi.stubEnv("PI_CODING_AGENT_DIR", agent);
  vi.stubEnv("PATH", "/usr/bin:/bin");
  onTestFinished(() => void vi.unstubAllEnvs());
  const put = (draft: Session, path = join(root, projectOf(draft.cwd), draft.fileName)): string => {
    draft.write(path);
    utimesSync(path, new Date(draft.timestamp), new Date(draft.timestamp));
    return path;
  };
  const run = pidexAt(root, folder);
  /** The result with `--json`. */
  const json = async (...argv: string[]) => JSON.parse((await run([...argv, "--json"])).out);
  return { folder, agent, root, put, run, json, trash: join(folder, "data", "Trash") };
}

export const projectOf = (cwd: string): string => `--${cwd.slice(1).replaceAll("/", "-")}--`;

/** Every file below a folder except the index, with content and mtime. */
export function snapshotFolder(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => !/index\.db/.test(name),
  );
  return Object.fromEntries(
    files.map((name) => {
      const path = join(folder, name);
      const stat = statSync(path);
      return [name, stat.isFile() ? `${stat.mtimeMs} ${readFileSync(path, "latin1")}` : "folder"];
    }),
  );
}

/** A session with three messages. */
export const shop = () =>
  session({ id: "shop", cwd: "/home/ada/shop" }).user("hello").assistant("hi").user("bye");

/** Masks the fields of a line that differ between runs. */
export function maskIdAndTime(line: string): string {
  return line.replace(/"id":"[^"]*"/, '"id":"…"').replace(/"timestamp":"[^"]*"/, '"timestamp":"…"');
}
