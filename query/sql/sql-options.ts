import { z } from "zod";

/** How a query by SQL is run. */
export const SqlOptions = z.strictObject({
  timeoutMs: z
    .number()
    .min(1)
    .max(3_600_000)
    .default(10_000)
    .describe("how long it may work, in milliseconds; waiting for whoever reads its rows does not count"),
  maxRows: z.int().min(1).optional().describe("rows at most"),
});
export type SqlOptions = z.input<typeof SqlOptions>;
