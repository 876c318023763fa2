import { z } from "zod";

/** A view that people may ask, and what its comments say of it. */
export const SqlViewJson = z
  .object({
    name: z.string(),
    about: z.string().describe("what its rows are"),
    columns: z
      .array(z.object({ name: z.string(), type: z.string(), about: z.string() }))
      .describe("`type` is TEXT, INTEGER or REAL"),
  })
  .meta({ title: "View" });
export type SqlView = z.infer<typeof SqlViewJson>;
