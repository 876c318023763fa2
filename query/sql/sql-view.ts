import { z } from "zod";

/** A documented view and its columns. */
export const SqlViewJson = z
  .object({
    name: z.string(),
    about: z.string().describe("description of its rows"),
    columns: z
      .array(z.object({ name: z.string(), type: z.string(), about: z.string() }))
      .describe("`type` is TEXT, INTEGER or REAL"),
  })
  .meta({ title: "View" });
export type SqlView = z.infer<typeof SqlViewJson>;
