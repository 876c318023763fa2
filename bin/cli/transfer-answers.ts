/** Zod schemas of the JSON output of commands that send sessions to a hub and fetch them; docs/json.md is generated from them. */
import { z } from "zod";

const failure = z.object({ path: z.string(), reason: z.string() });
const failed = z.array(failure).describe("sessions that failed, or were not sent completely, and why");

export const SharedFolderJson = z
  .object({
    folder: z.string(),
    share: z
      .enum(["mine", "team", "off"])
      .describe("`mine` is only for your machines, `team` for the team; `off` is not pushed"),
    project: z.string().optional().describe("the project of the team"),
    sessions: z.int().describe("its sessions on this machine"),
    pushed: z.int().describe("those of which something was pushed"),
  })
  .meta({ title: "Shared folder" });

export const PushJson = z
  .object({
    sessions: z.int().describe("sessions in shared projects"),
    sent: z.int().describe("sessions of which something was sent"),
    bytes: z.int().describe("bytes of session files that were sent, before compression"),
    resent: z
      .int()
      .describe(
        "sessions deleted from the hub and sent again, because their beginning or their project changed",
      ),
    moved: z.int().describe("files deleted from the hub, because their session is in another file now"),
    forgotten: z
      .array(z.object({ path: z.string(), sessionId: z.string() }))
      .describe("sessions that are not pushed, because `pidex hub forget` deleted them from the hub"),
    expired: z
      .int()
      .describe(
        "changed sessions that are not pushed, because they are older than the hub keeps sessions of the project",
      ),
    failed,
  })
  .meta({ title: "Push" });

export const PlannedPushJson = z
  .object({
    folder: z.string().describe("the shared folder"),
    share: z.enum(["mine", "team"]),
    project: z.string().optional().describe("the project of the team"),
    sessions: z.int().describe("sessions of which something would be sent"),
    bytes: z.int().describe("bytes of session files that would be sent, before compression"),
    masked: z
      .array(
        z.object({
          path: z.string(),
          sessionId: z.string(),
          kind: z.string(),
          count: z.int(),
        }),
      )
      .describe("secrets that would be masked: how many of each kind in each session"),
    failed: z.array(failure).describe("sessions that would not be sent, or not completely, and why"),
  })
  .meta({ title: "Planned push" });

export const PullJson = z
  .object({
    sessions: z.int().describe("sessions of your other machines on the hub"),
    added: z.int().describe("new sessions"),
    updated: z.int().describe("sessions with new entries"),
    bytes: z.int().describe("bytes of session files that were fetched, before compression"),
    deleted: z.int().describe("sessions that you deleted here; they are not fetched again"),
    forked: z
      .array(z.object({ path: z.string(), fork: z.string() }))
      .describe("sessions that went on here and elsewhere; `fork` has the entries of this machine"),
    failed,
    paths: z.array(z.string()).describe("the session files that were added or updated"),
  })
  .meta({ title: "Pull" });

export type SharedFolder = z.infer<typeof SharedFolderJson>;
export type PlannedPush = z.infer<typeof PlannedPushJson>;
