import type { Pool, PoolClient } from "pg";
import type { z } from "zod";
import { PidexError } from "../../../src/errors.ts";
import { writeAudit } from "../../../src/store/postgres/audit.ts";
import {
  addMachine,
  createInvitation,
  type Invitation,
  listMachines,
  type MachineRow,
  revokeMachine,
  takeInvitation,
} from "../../../src/store/postgres/machines.ts";
import {
  addPerson,
  type Caller,
  countOwners,
  findPerson,
  getPerson,
  hasNoPeople,
  listPeople,
  lockPeople,
  type PersonRow,
  removePerson,
  setRole,
} from "../../../src/store/postgres/people.ts";
import { inTransaction } from "../../../src/store/postgres/transaction.ts";
import type { inviteAnswer, inviteRequest, joinAnswer, joinRequest, Role } from "../protocol.ts";
import { assertRole, toActor } from "./access.ts";

/** An invitation for the first owner; undefined if the hub has a member already. */
export async function inviteFirstOwner(pool: Pool, name: string): Promise<string | undefined> {
  if (!(await hasNoPeople(pool))) return undefined;
  const { invitation } = await createInvitation(pool, { name, role: "owner", person: null });
  return invitation;
}

/**
 * Signs a machine in with an invitation, which is used up.
 *
 * @throws PidexError `NOT_SIGNED_IN` if the invitation is not valid, whatever the reason
 */
export function join(
  pool: Pool,
  { invitation: text, machine: wanted }: z.infer<typeof joinRequest>,
): Promise<z.infer<typeof joinAnswer>> {
  return inTransaction(pool, async (client) => {
    await lockPeople(client);
    const invitation = await takeInvitation(client, text);
    const person = invitation && (await findOrAddPerson(client, invitation));
    if (!person) {
      const hint = "An invitation can be used once, within 7 days. Ask an owner of the hub for a new one.";
      throw new PidexError("NOT_SIGNED_IN", "the invitation is not valid", hint);
    }
    const { token, machine } = await addMachine(client, person.id, wanted);
    await writeAudit(client, { person: person.name, machine }, "join", person.role);
    return { token, machine, person: person.name, role: person.role };
  });
}

/** The person of an invitation; undefined if it is for a new person and the name was taken meanwhile. */
async function findOrAddPerson(
  client: PoolClient,
  { name, role, person }: Invitation,
): Promise<PersonRow | undefined> {
  if (person !== null) return getPerson(client, person);
  if (await findPerson(client, name)) return undefined;
  return addPerson(client, name, role);
}

/**
 * Creates an invitation. Owners may invite new people, and all members another machine of their own.
 *
 * @throws PidexError `NOT_ALLOWED`, or `BAD_OPTION` if the name is taken
 */
export function invite(
  pool: Pool,
  caller: Caller,
  { name, role }: z.infer<typeof inviteRequest>,
): Promise<z.infer<typeof inviteAnswer>> {
  return inTransaction(pool, async (client) => {
    const isOwn = name === caller.person.name;
    if (!isOwn) {
      assertRole(caller, ["owner"], "invite other people");
      await assertNameIsFree(client, name);
    }
    const invitation: Invitation = isOwn
      ? { name, role: caller.person.role, person: caller.person.id }
      : { name, role, person: null };
    await writeAudit(client, toActor(caller), "invite", `${name}, ${invitation.role}`);
    return createInvitation(client, invitation);
  });
}

async function assertNameIsFree(client: PoolClient, name: string): Promise<void> {
  if (!(await findPerson(client, name))) return;
  const hint = `If it is the same person, ${name} can run pidex hub invite ${JSON.stringify(name)} to add a machine.`;
  throw new PidexError("BAD_OPTION", `there is a member named ${name}`, hint);
}

/** @throws PidexError `NOT_ALLOWED` */
export function getMembers(pool: Pool, caller: Caller): ReturnType<typeof listPeople> {
  assertRole(caller, ["owner", "auditor"], "list members");
  return listPeople(pool);
}

/** @throws PidexError `NOT_ALLOWED`, `NOT_FOUND`, or `BAD_OPTION` for the last owner */
export function changeRole(pool: Pool, caller: Caller, name: string, role: Role): Promise<void> {
  assertRole(caller, ["owner"], "change roles");
  return changePerson(pool, name, async (client, person) => {
    if (role !== "owner") await assertOtherOwner(client, person);
    await setRole(client, person.id, role);
    await writeAudit(client, toActor(caller), "role", `${name}, ${role}`);
  });
}

/**
 * Removes a member: their machines are revoked, and their private sessions are to be forgotten by the maintenance.
 *
 * @throws PidexError `NOT_ALLOWED`, `NOT_FOUND`, or `BAD_OPTION` for the last owner
 */
export function removeMember(pool: Pool, caller: Caller, name: string): Promise<void> {
  assertRole(caller, ["owner"], "remove members");
  return changePerson(pool, name, async (client, person) => {
    await assertOtherOwner(client, person);
    await removePerson(client, person.id);
    await writeAudit(client, toActor(caller), "remove", name);
  });
}

function changePerson(
  pool: Pool,
  name: string,
  change: (client: PoolClient, person: PersonRow) => Promise<void>,
): Promise<void> {
  return inTransaction(pool, async (client) => {
    await lockPeople(client);
    const person = await findPerson(client, name);
    if (!person) throw notFound("member", name, "pidex hub members");
    await change(client, person);
  });
}

async function assertOtherOwner(client: PoolClient, { name, role }: PersonRow): Promise<void> {
  if (role !== "owner" || (await countOwners(client)) > 1) return;
  const hint = "Give another member the role first: pidex hub role NAME owner.";
  throw new PidexError("BAD_OPTION", `${name} is the last owner of the hub`, hint);
}

/** The machines that the caller may see: all of them for owners and auditors, otherwise the caller's own. */
export function getMachines(pool: Pool, { person }: Caller): Promise<MachineRow[]> {
  const seesAll = person.role === "owner" || person.role === "auditor";
  return listMachines(pool, seesAll ? undefined : person.id);
}

/** Revokes the token of a machine: owners of any, others of their own. @throws PidexError `NOT_FOUND` */
export function revoke(pool: Pool, caller: Caller, name: string): Promise<void> {
  return inTransaction(pool, async (client) => {
    const person = caller.person.role === "owner" ? undefined : caller.person.id;
    if (!(await revokeMachine(client, name, person))) throw notFound("machine", name, "pidex hub machines");
    await writeAudit(client, toActor(caller), "revoke", name);
  });
}

function notFound(kind: string, name: string, command: string): PidexError {
  return new PidexError("NOT_FOUND", `there is no ${kind} named ${name}`, `${command} lists them.`);
}
