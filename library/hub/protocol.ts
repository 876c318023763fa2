/**
 * What machines and a hub send each other over HTTP: JSON, and bytes of session files compressed by zstd. The zod schemas check both
 * directions. Every request but `/v1/join` has the header `authorization: Bearer <token>`; failed requests are answered by
 * `{ error: SentError }` (library/host/messages.ts) with a status of 400 and above.
 */
import { z } from "zod";
import { MACHINE_NAME } from "../../src/machine-path.ts";

/** Sent by both sides as the header `pidex-protocol`; another number is refused with `UPGRADED`. */
export const PROTOCOL_VERSION = 1;

/** Bytes of session files in one `PUT /v1/append`, before compression. A longer line is sent alone. */
export const MAX_APPEND_BYTES = 8 << 20;
/** A longer line is not sent: the hub refuses it. */
export const MAX_HUB_LINE_BYTES = 256 << 20;

export const ROLES = ["owner", "member", "figures", "auditor"] as const;
export type Role = (typeof ROLES)[number];

const time = z.int();
const count = z.int().nonnegative();
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const localPath = z.string().min(1).max(4096);
const name = z.string().min(1).max(200);

/** `POST /v1/join`: signs a machine in with an invitation. The answer has the machine's token, which is shown once. */
export const joinRequest = z.strictObject({
  invitation: z.string().min(1).max(200),
  machine: z.string().regex(MACHINE_NAME),
});
export const joinAnswer = z.object({
  token: z.string(),
  /** May differ from the requested name, if another machine has that. */
  machine: z.string(),
  person: z.string(),
  role: z.enum(ROLES),
});

/** `GET /v1/me` */
export const meAnswer = z.object({
  machine: z.string(),
  person: z.string(),
  role: z.enum(ROLES),
  version: z.string(),
});

/** Where the sessions of a project go: the private shelf of the person, or the shelf of a project of the team. */
export const shelfName = z.union([z.literal("mine"), z.strictObject({ project: name })]);
export type ShelfName = z.infer<typeof shelfName>;

/** How far the hub has a file: number of bytes, and the digest of `ByteChain` of these. Of an unknown file, those of no bytes. */
export const fileState = z.object({ cursor: count, digest });
export type HubFileState = z.infer<typeof fileState>;

/** `POST /v1/files`: how far the hub has files of this machine. The answer has them in the same order. */
export const filesRequest = z.strictObject({ paths: z.array(localPath).max(1000) });
export const filesAnswer = z.object({ files: z.array(fileState.extend({ shelf: shelfName.nullable() })) });

/**
 * `PUT /v1/append`: adds whole lines to a file of this machine. The body is this header as one line of JSON, then the bytes by zstd. If
 * `cursor` and `digest` are not those of the hub, nothing is written and the answer has the status 409 and the hub's state (`fileState`).
 */
export const appendHeader = z.strictObject({
  path: localPath,
  shelf: shelfName,
  subagent: z.boolean(),
  cursor: count,
  digest,
  /** Of the bytes after these. */
  next: digest,
  bytes: z.int().positive(),
  /** When the file was modified, in Unix milliseconds. */
  modified: time,
});
export type AppendHeader = z.infer<typeof appendHeader>;

/**
 * `GET /v1/exclusions`: the sessions that this machine should not send. Those that were deleted by `/v1/forget-sessions` are refused with
 * `SESSION_FORGOTTEN`; those that are older than the retention would be deleted again.
 */
export const exclusions = z.object({
  /** The ids that the keys need: see forgotten-keys.ts. */
  person: z.int(),
  machine: z.string(),
  /** The keys of deleted sessions of this person. */
  forgotten: z.array(digest),
  retention: z.array(z.object({ shelf: shelfName, days: z.int().positive() })),
});
export type Exclusions = z.infer<typeof exclusions>;

/** `POST /v1/forget`: deletes files of this machine, which it may send again. Deleted sessions are still refused. */
export const forgetRequest = z.strictObject({ paths: z.array(localPath).min(1).max(1000) });
export const forgetAnswer = z.object({ forgotten: count });

/**
 * `POST /v1/forget-sessions`: deletes sessions by the beginning of their id or by their path: those that machines of the person sent,
 * and for owners all of the team's projects. From then on, `/v1/append` refuses them from all machines of the person who sent them.
 */
export const forgetSessionsRequest = z.strictObject({
  sessions: z.array(z.string().min(1).max(4200)).min(1).max(100),
  /** Only finds them. */
  dryRun: z.boolean(),
});
export const forgetSessionsAnswer = z.object({
  /** Several for a session that several machines sent. */
  files: z.array(
    z.object({
      sessionId: z.string(),
      /** The name of the machine, a colon, and the path there. */
      path: z.string(),
      cwd: z.string(),
      /** Its name, or else its first message. */
      title: z.string().nullable(),
      messages: count,
      modified: time,
      shelf: shelfName,
    }),
  ),
});

/**
 * `POST /v1/undo-forget`: lets `/v1/append` accept deleted sessions again: those of the person, and for owners those that other people
 * had in projects of the team. The answer has the sessions that were refused before.
 */
const undoneSession = z.strictObject({
  id: z.string().min(1).max(4200),
  /** On this machine; null if it does not have the session. */
  path: localPath.nullable(),
});
export const undoForgetRequest = z.strictObject({ sessions: z.array(undoneSession).min(1).max(100) });
export const undoForgetAnswer = z.object({ sessions: z.array(undoneSession) });
export type UndoneSession = z.infer<typeof undoneSession>;

/** `GET /v1/own`: the private files of the person, from all machines. Lines of JSON. */
export const ownFile = fileState.extend({
  id: z.int(),
  machine: z.string().regex(MACHINE_NAME), // it names a folder
  path: localPath,
  /** Of its session; null without a header. */
  cwd: z.string().nullable(),
  sessionId: z.string().nullable(),
  modified: time,
});
export type OwnFile = z.infer<typeof ownFile>;

/** `GET /v1/own-digest`: a digest that differs when the answer of `/v1/own` does. */
export const ownDigest = z.object({ digest });

/** `GET /v1/own/:id?from=<byte>`: its bytes from there to the cursor, compressed by zstd if the request accepts it. */

/** `POST /v1/query`: calls a method of the reading half of an index. Streams are answered by lines of JSON. */
export const queryRequest = z.strictObject({ method: z.string().max(50), args: z.array(z.unknown()).max(4) });

/** `GET /v1/members` (`{ members }`), `POST /v1/invitations`, `DELETE /v1/members/:name`, `PATCH /v1/members/:name` */
export const member = z.object({
  name: z.string(),
  role: z.enum(ROLES),
  created: time,
  machines: count,
  /** Bytes of its session files. */
  bytes: count,
});
export const inviteRequest = z.strictObject({
  /** A new person, or the person who invites for another machine of their own. */
  name: z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,62}$/u),
  role: z.enum(ROLES),
});
export const inviteAnswer = z.object({ invitation: z.string(), expires: time });

/** `GET /v1/machines` (`{ machines }`), `DELETE /v1/machines/:name` (revokes its token) */
export const machine = z.object({
  name: z.string(),
  person: z.string(),
  created: time,
  lastSeen: time.nullable(),
  revoked: time.nullable(),
  files: count,
  bytes: count,
});

/** `GET /v1/status` */
export const hubStatus = z.object({
  version: z.string(),
  database: z.enum(["postgresql", "pglite"]),
  people: count,
  machines: count,
  sessions: count,
  /** Of session files. */
  bytes: count,
  /** Of the database. */
  databaseBytes: count,
  /** Number of files that an older version indexed, and that are indexed again in the background from the hub's copy. */
  outdated: count,
});

/** `GET /v1/audit?since=&until=&limit=` (`{ rows }`), newest first; times are Unix milliseconds */
export const auditRow = z.object({
  time,
  person: z.string(),
  machine: z.string(),
  action: z.string(),
  target: z.string(),
});

/** `PUT /v1/retention`; `GET /v1/retention` (`{ retention }`) lists those that are set */
export const retentionRequest = z.strictObject({
  shelf: shelfName,
  days: z.int().positive().max(36_500).nullable(),
});
export const retention = exclusions.shape.retention.element;
