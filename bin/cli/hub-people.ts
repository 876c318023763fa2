/** `pidex hub invite`, `members`, `role`, `remove`, `machines` and `revoke`. */
import { z } from "zod";
import { inviteAnswer, machine, member } from "../../library/hub/protocol.ts";
import { quoteForShell } from "../../library/internal.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatNumber } from "../format/numbers.ts";
import { toOneLine } from "../format/safe.ts";
import { formatDateTime, formatRelativeTime } from "../format/times.ts";
import type { Flags } from "./commands.ts";
import { confirm, openClient, writeList } from "./hub-client.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { EXIT, printNotice } from "./run.ts";

export async function invite(
  io: Io,
  [name = ""]: string[],
  { role = "member", json, ndjson }: Flags<"hub invite">,
): Promise<void> {
  const { client } = openClient();
  const body = { name, role };
  const answer = await client.json("POST", "v1/invitations", inviteAnswer, { body });
  if (json || ndjson) return writeJson(io, { url: client.url, ...answer });
  const until = `Run it once on a machine of ${toOneLine(name)}, before ${formatDateTime(new Date(answer.expires))}.`;
  await io.out(`pidex hub join ${quoteForShell(client.url)} ${answer.invitation}\n`);
  io.err(`${io.style("dim", until)}\n`);
}

export async function members(io: Io, _: string[], flags: Flags<"hub members">): Promise<void> {
  const { client } = openClient();
  const answer = await client.json("GET", "v1/members", z.object({ members: z.array(member) }));
  await writeList(io, flags, {
    name: "members",
    items: answer.members,
    columns: [
      { heading: "NAME", shrinksFirst: true },
      { heading: "ROLE" },
      { heading: "MACHINES", align: "right", omitOrder: 2 },
      { heading: "SIZE", align: "right", omitOrder: 3 },
      { heading: "JOINED", omitOrder: 1 },
    ],
    toCells: ({ name, role, machines, bytes, created }) => [
      ...[toOneLine(name), role, formatNumber(machines), formatBytes(bytes)],
      formatRelativeTime(new Date(created)),
    ],
    empty: "No members",
  });
}

export async function role(io: Io, [name = "", role = ""]: string[]): Promise<void> {
  const { client } = openClient();
  await client.request("PATCH", `v1/members/${encodeURIComponent(name)}`, { body: { role } });
  await io.out(`${toOneLine(name)}\t${role}\n`);
}

export async function remove(io: Io, [name = ""]: string[], { yes }: Flags<"hub remove">): Promise<number> {
  const { client } = openClient();
  const question = `Remove ${toOneLine(name)}, revoke their machines and delete their private sessions from the hub?`;
  if (!yes && !(await confirm(io, question, "remove a member"))) {
    printNotice(io, "no member was removed");
    return EXIT.failed;
  }
  await client.request("DELETE", `v1/members/${encodeURIComponent(name)}`);
  await io.out(`Removed ${toOneLine(name)}\n`);
  return EXIT.done;
}

export async function machines(io: Io, _: string[], flags: Flags<"hub machines">): Promise<void> {
  const { client } = openClient();
  const answer = await client.json("GET", "v1/machines", z.object({ machines: z.array(machine) }));
  await writeList(io, flags, {
    name: "machines",
    items: answer.machines,
    columns: [
      { heading: "NAME", shrinksFirst: true },
      { heading: "MEMBER" },
      { heading: "FILES", align: "right", omitOrder: 1 },
      { heading: "SIZE", align: "right", omitOrder: 2 },
      { heading: "LAST SEEN" },
    ],
    toCells: ({ name, person, files, bytes, lastSeen, revoked }) => [
      ...[toOneLine(name), toOneLine(person), formatNumber(files), formatBytes(bytes)],
      revoked === null ? formatSeen(lastSeen) : "revoked",
    ],
    empty: "No machines",
  });
}

function formatSeen(lastSeen: number | null): string {
  return lastSeen === null ? "never" : formatRelativeTime(new Date(lastSeen));
}

export async function revoke(io: Io, [name = ""]: string[]): Promise<void> {
  const { client } = openClient();
  await client.request("DELETE", `v1/machines/${encodeURIComponent(name)}`);
  await io.out(`Revoked ${toOneLine(name)}\n`);
}
