/** What a look for secrets may be asked, and what it answers, as zod schemas: docs/json.md is written from them. */
import { z } from "zod";
import { EntryIdJson, Time } from "../answers.ts";
import { Filters } from "../options.ts";

export const SecretsOptions = z.strictObject({
  ...Filters.shape,
  subagents: Filters.shape.subagents.unwrap().default("yes").describe("whether sessions of subagents count"),
  sessions: z
    .array(z.string())
    .optional()
    .describe("only these: each a path, an id, the start of one, or @last"),
  kind: z.string().optional().describe("only secrets of this kind"),
  limit: z.int().min(1).optional().describe("findings at most"),
});
export type SecretsOptions = z.input<typeof SecretsOptions>;

export const SecretFindingJson = z
  .object({
    kind: z.string().describe("the id of the rule that found it, such as `github`; stable"),
    name: z.string().describe("what it is, in words"),
    secret: z
      .int()
      .describe(
        "the same number for the same secret, within one answer: forks and tool output repeat what they hold",
      ),
    masked: z
      .string()
      .describe("its first four characters, where it is longer than 20, and how long it is; never more"),
    path: z.string().describe("the session file"),
    sessionId: z.string().optional().describe("absent where the file is no session"),
    line: z.int().describe("line number in the file, from 1"),
    byteOffset: z.int().describe("byte offset of that line in the file"),
    entryId: EntryIdJson,
    place: z
      .string()
      .optional()
      .describe(
        "where in the entry, such as `message.content[0].text`; absent for a line that is no JSON, or longer than 64 MiB",
      ),
    type: z.string().optional().describe("the entry's type; `session` for the header"),
    role: z.string().optional().describe("the message's role, for messages"),
    timestamp: Time.optional().describe("the entry's time"),
  })
  .meta({ title: "Secret" });
export type SecretFinding = z.infer<typeof SecretFindingJson>;
