import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A PostgreSQL server on a socket of its own, for tests. */
export interface Server {
  /** The connection string of a database. */
  urlOf: (database: string) => string;
  /** Stops it and deletes its data. */
  kill: () => void;
}

/** The folder with the newest PostgreSQL's programs; undefined if none is installed. */
export function findPrograms(): string | undefined {
  const versions = "/usr/lib/postgresql";
  if (!existsSync(versions)) return undefined;
  const [newest] = readdirSync(versions).sort((a, b) => Number(b) - Number(a));
  return newest && join(versions, newest, "bin");
}

/** Starts a server. PostgreSQL refuses to run as root, so it runs as `postgres` then. */
export async function startServer(programs: string): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "pidex-pg-"));
  const user = process.getuid?.() === 0 ? userOf("postgres") : undefined;
  if (user) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, "data");
  const initdb = ["-D", data, "-U", "pidex", "--encoding=UTF8", "--locale=C", "--no-sync", "--auth=trust"];
  execFileSync(join(programs, "initdb"), initdb, { ...user, cwd: folder, stdio: "pipe" });
  const settings = {
    listen_addresses: "",
    unix_socket_directories: folder,
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    shared_buffers: "256MB",
    max_connections: "60",
  };
  const argv = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(programs, "postgres"), ["-D", data, ...argv], {
    ...user,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const urlOf = (database: string) => `postgres://pidex@/${database}?host=${encodeURIComponent(folder)}`;
  await untilReady(server);
  return {
    urlOf,
    kill() {
      server.kill("SIGQUIT");
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function userOf(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Waits for the line that the server writes to its log when it accepts connections. */
function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = "";
    server.once("exit", () => reject(new Error(`PostgreSQL did not start: ${log}`)));
    server.stderr?.on("data", (text: Buffer) => {
      log += text;
      if (log.includes("ready to accept connections")) resolve();
    });
  });
}
