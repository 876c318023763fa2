/** Options and answer of a review of sessions to compress or delete. */
import { z } from "zod";
import type { SessionInfo } from "../answers.ts";
import { Filters, Moment, SESSION_TIMES } from "../options.ts";

export const PruneOptions = z.strictObject({
  ...Filters.shape,
  ...SESSION_TIMES,
  olderThan: Moment.optional().describe("only sessions modified before this time, such as `180d`"),
  largerThan: z.number().nonnegative().optional().describe("only sessions with more bytes on disk"),
  neverResumed: z
    .boolean()
    .default(false)
    .describe("only sessions with one prompt at most, or with all messages on one day"),
  duplicates: z
    .boolean()
    .default(false)
    .describe("only sessions with all their lines in another session file"),
  compressed: z.boolean().optional().describe("only compressed sessions (true), or only others (false)"),
  contents: z
    .boolean()
    .default(false)
    .describe("whether to measure images and large tool outputs, which reads them"),
  paths: z
    .array(z.string())
    .optional()
    .describe(
      "only these session files, which are then not kept for being pinned, labeled, tagged or active",
    ),
});
export type PruneOptions = z.input<typeof PruneOptions>;

/**
 * Why a session stays, although it matches. Pulled ones are only kept from being compressed, and those with `subagents` from the trash:
 * it is a duplicate, but has sessions of subagents.
 */
export const KEEP_REASONS = ["pinned", "labeled", "tagged", "active", "pulled", "subagents"] as const;
export type KeepReason = (typeof KEEP_REASONS)[number];

/** Parts of a session file, in bytes as stored: images in base64, and tool outputs of 16 KiB or more. */
export interface ContentBytes {
  images: number;
  toolOutputs: number;
}

export interface PrunableSession {
  session: SessionInfo;
  /** What matched, for people: `180d old`. Empty without criteria. */
  reasons: string[];
  /** The session file that has all its lines, if duplicates were looked for. */
  duplicateOf?: string;
  /** Bytes on disk: those of the compressed file, if it is compressed. */
  bytes: number;
  compressed: boolean;
  contents?: ContentBytes;
}

export interface KeptSession {
  session: SessionInfo;
  reason: KeepReason;
}

export interface PruneReview {
  /** Oldest first. */
  sessions: PrunableSession[];
  kept: KeptSession[];
}
