/** Options and results of a scan for secrets, as zod schemas. docs/json.md is generated from them. */
import { z } from "zod";
import { EntryIdJson, IsoTimeJson } from "../answers.ts";
import { Filters, SESSION_TIMES } from "../options.ts";

export const SecretsOptions = z.strictObject({
  ...Filters.shape,
  ...SESSION_TIMES,
  subagents: Filters.shape.subagents
    .unwrap()
    .default("yes")
    .describe("subagents' sessions: `no` excludes them, `yes` includes them, `only` returns nothing else"),
  sessions: z
    .array(z.string())
    .optional()
    .describe("only these sessions: paths, ids, unique prefixes of ids, or @last"),
  kind: z.string().optional().describe("only secrets of this kind"),
  limit: z.int().min(1).optional().describe("maximum number of findings"),
});
export type SecretsOptions = z.input<typeof SecretsOptions>;

export const SecretFindingJson = z
  .object({
    kind: z.string().describe("the id of the rule that matched, such as `github`; stable"),
    name: z.string().describe("name of this kind of secret, for people"),
    secretNumber: z
      .int()
      .describe("the same for equal secrets within one result: forks and tool output repeat secrets"),
    masked: z
      .string()
      .describe("its length and, if it has at least 20 characters, the first four; never more"),
    path: z.string().describe("the session file"),
    sessionId: z.string().optional().describe("absent if the file contains no session"),
    line: z.int().describe("line number in the file, from 1"),
    byteOffset: z.int().describe("byte offset of the line in the file"),
    entryId: EntryIdJson,
    jsonPath: z
      .string()
      .optional()
      .describe(
        "location within the entry, such as `message.content[0].text`; absent if the line is not JSON or longer than 64 MiB",
      ),
    type: z.string().optional().describe("the entry's type; `session` for the header"),
    role: z.string().optional().describe("the message's role, for messages"),
    timestamp: IsoTimeJson.optional().describe("the entry's time"),
  })
  .meta({ title: "Secret" });
export type SecretFinding = z.infer<typeof SecretFindingJson>;
