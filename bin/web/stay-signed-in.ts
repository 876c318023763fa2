/**
 * Whether browsers stay signed in to the page: docs/decisions/0019-the-page.md. The page then has the same port in every run, so that
 * addresses that a browser keeps work, and browsers keep a secret that signs them in to the next run.
 */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, parse } from "node:path";
import { z } from "zod";
import { writePrivateFile } from "../../library/hub/private-files.ts";
import { getConfigFolder, toMessage } from "../../library/internal.ts";
import type { IndexLocation } from "../actions/index-location.ts";

/** How browsers stay signed in. */
export interface Stay {
  /** The port of the page in every run. */
  port: number;
  /** Known to this user's pidex and to the browsers that signed in. */
  secret: string;
}

/** The port unless another one is configured: no registered program uses it. */
export const DEFAULT_PORT = 7439;

/** The lowest ids of people: 501 on macOS, 1000 on Linux. Ids below belong to the system. */
const FIRST_PERSON = 500;

const secretSchema = z.object({ secret: z.string().min(40) });

/** The file with the secret. Only its owner can read it. */
export function getSecretPath(env: NodeJS.ProcessEnv = process.env): string {
  return join(getConfigFolder(env, process.platform), "page.json");
}

/**
 * How browsers stay signed in to the page of the user's own index, by the settings `stay_signed_in` and `page_port`.
 *
 * @param location a page of other sessions or another index has any free port, and its browsers sign in once per run
 * @returns undefined if they sign in once per run, also because the secret cannot be stored, which `onNotice` reports
 */
export function getStay(
  { db, roots, hub }: Partial<IndexLocation> & { hub?: object | undefined },
  {
    env = process.env,
    onNotice,
  }: { env?: NodeJS.ProcessEnv; onNotice?: ((text: string) => void) | undefined } = {},
): Stay | undefined {
  if (hub || db !== undefined || roots !== undefined) return undefined;
  const { PIDEX_STAY_SIGNED_IN: setting = "auto", PIDEX_PAGE_PORT: port = "" } = env;
  if (setting === "never" || (setting !== "always" && hasOtherPeople())) return undefined;
  try {
    return { port: Number(port) || DEFAULT_PORT, secret: readSecret(env, onNotice) };
  } catch (error) {
    onNotice?.(`browsers sign in once per run: ${toMessage(error)}`); // such as in a read-only home folder
    return undefined;
  }
}

/** Signs out all browsers: they need a new link in the next run. @throws PidexError `FILE_UNWRITABLE` */
export function signOutBrowsers(env: NodeJS.ProcessEnv = process.env): void {
  createSecret(getSecretPath(env));
}

function readSecret(env: NodeJS.ProcessEnv, onNotice: ((text: string) => void) | undefined): string {
  const path = getSecretPath(env);
  try {
    const isPrivate = process.platform === "win32" || (statSync(path).mode & 0o077) === 0;
    if (isPrivate) return secretSchema.parse(JSON.parse(readFileSync(path, "utf8"))).secret;
    onNotice?.(`${path} was readable by others: browsers have to sign in again`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      onNotice?.(`cannot read ${path}: browsers have to sign in again (${toMessage(error)})`);
  }
  return createSecret(path);
}

function createSecret(path: string): string {
  const secret = randomBytes(32).toString("base64url");
  writePrivateFile(path, `${JSON.stringify({ secret })}\n`);
  return secret;
}

/**
 * Whether this machine has home folders of other people. Their programs could listen on the page's port while pidex does not, and
 * read what a browser keeps for it.
 *
 * @param parents folders of home folders
 */
export function hasOtherPeople(
  parents: readonly string[] = homeParents(),
  uid = process.getuid?.(),
): boolean {
  return parents.some((parent) =>
    listFolders(parent).some((path) => {
      if (uid === undefined) return path !== homedir() && !WINDOWS_FOLDERS.test(path);
      const owner = statSync(path, { throwIfNoEntry: false })?.uid ?? uid;
      return owner !== uid && owner >= FIRST_PERSON;
    }),
  );
}

const WINDOWS_FOLDERS = /[\\/](?:public|default|default user|all users)$/i;

function homeParents(): string[] {
  const own = dirname(homedir());
  const parents = process.platform === "win32" ? [own] : [own, "/home", "/Users"];
  return [...new Set(parents)].filter((path) => path !== parse(path).root);
}

function listFolders(parent: string): string[] {
  try {
    return readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(parent, name));
  } catch {
    return []; // this system has no such folder
  }
}
