import { z } from "zod";

/** Limits of a SQL query. */
export const SqlOptions = z.strictObject({
  timeoutMs: z
    .number()
    .min(1)
    .max(3_600_000)
    .default(10_000)
    .describe("maximum run time in milliseconds, excluding the time it waits for its rows to be read"),
  maxRows: z.int().min(1).optional().describe("maximum number of rows"),
});
export type SqlOptions = z.input<typeof SqlOptions>;
