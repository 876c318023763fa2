import { PidexError } from "../../../src/errors.ts";
import type { Actor } from "../../../src/store/postgres/audit.ts";
import type { Caller } from "../../../src/store/postgres/people.ts";
import type { Role } from "../protocol.ts";

/** @throws PidexError `NOT_ALLOWED` unless the caller has one of the roles */
export function assertRole({ person }: Caller, roles: readonly Role[], action: string): void {
  if (roles.includes(person.role)) return;
  const allowed = roles.join(" or ");
  const hint = `It needs the role ${allowed}; ask an owner of the hub.`;
  throw new PidexError("NOT_ALLOWED", `the role ${person.role} cannot ${action}`, hint);
}

/** The caller as the audit log names it. */
export function toActor({ person, machine }: Caller): Actor {
  return { person: person.name, machine: machine.name };
}

/** A session in the audit log, which owners and auditors read: of private sessions it does not even have the path. */
export function toTarget({ project, path }: { project: string | null; path: string }): string {
  return project === null ? "mine" : path;
}
