import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Environment, getConfigFolder } from "../../src/environment.ts";
import { PidexError, systemCode, toMessage } from "../../src/errors.ts";
import { writePrivateFile } from "./private-files.ts";

const signInSchema = z.object({
  /** Of the hub. */
  url: z.url({ protocol: /^https?$/ }),
  token: z.string().min(1),
  /** The name of this machine on the hub. */
  machine: z.string().min(1),
  person: z.string().min(1),
});

/** How this machine signs in to its hub. */
export type SignIn = z.infer<typeof signInSchema>;

/** The file with the sign-in. Only its owner can read it. */
export function getSignInPath(environment: Environment = process.env): string {
  return join(getConfigFolder(environment, process.platform), "hub.json");
}

/**
 * The stored sign-in; undefined if this machine has none.
 *
 * @throws PidexError `FILE_UNREADABLE` if the file cannot be read or is damaged
 */
export function readSignIn(environment: Environment = process.env): SignIn | undefined {
  const path = getSignInPath(environment);
  try {
    return signInSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return undefined;
    const reason = systemCode(cause) === undefined ? "it is not a sign-in" : toMessage(cause);
    const hint = "Delete the file, and run pidex hub join with a new invitation.";
    throw new PidexError("FILE_UNREADABLE", `cannot read ${path}: ${reason}`, hint, { cause });
  }
}

/**
 * The stored sign-in.
 *
 * @throws PidexError `NOT_SIGNED_IN` if this machine has none; as `readSignIn`
 */
export function requireSignIn(environment: Environment = process.env): SignIn {
  const signIn = readSignIn(environment);
  if (signIn) return signIn;
  const hint = "Ask an owner of the hub for an invitation, and run pidex hub join URL INVITATION.";
  throw new PidexError("NOT_SIGNED_IN", "this machine is not signed in to a hub", hint);
}

/**
 * Stores the sign-in in place of another one.
 *
 * @throws PidexError `FILE_UNWRITABLE`
 */
export function writeSignIn(signIn: SignIn, environment: Environment = process.env): void {
  writePrivateFile(getSignInPath(environment), `${JSON.stringify(signInSchema.parse(signIn), null, 2)}\n`);
}

/** Deletes the stored sign-in, if there is one. */
export function deleteSignIn(environment: Environment = process.env): void {
  rmSync(getSignInPath(environment), { force: true });
}
