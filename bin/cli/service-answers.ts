/** What `pidex service` answers, as zod schemas of its JSON form: docs/json.md is written from them. */
import { z } from "zod";

export const ServiceStatusJson = z
  .object({
    path: z.string().describe("the service's file"),
    installed: z.boolean(),
    ours: z.boolean().optional().describe("false when somebody else wrote that file"),
    current: z
      .boolean()
      .optional()
      .describe("true when `pidex service install` with these options would change nothing"),
    active: z.boolean().optional().describe("whether it runs; absent where that could not be found out"),
    since: z.iso.datetime().optional(),
    reason: z.string().optional().describe("why it does not run, or why that could not be found out"),
  })
  .meta({ title: "Service" });

export const ServiceStepJson = z
  .object({
    does: z.enum(["write", "delete", "run"]),
    path: z.string().optional().describe("what is written or deleted"),
    content: z.string().optional().describe("what is written there"),
    argv: z.array(z.string()).optional().describe("what is run"),
  })
  .meta({ title: "Service step" });

export type ServiceStatus = z.infer<typeof ServiceStatusJson>;
export type ServiceStep = z.infer<typeof ServiceStepJson>;
