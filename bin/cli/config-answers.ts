/** Zod schemas of the JSON output of `pidex config`; docs/json.md is generated from them. */
import { z } from "zod";

export const SettingJson = z
  .object({
    key: z.string().describe("its name in `config.toml`; `picker.sort` is `sort` in the table `picker`"),
    value: z.string().describe("its value, or a description of the default"),
    from: z.enum(["default", "file", "environment"]).describe("where the value comes from"),
    env: z.string().optional().describe("the environment variable that takes precedence over the file"),
    meaning: z.string(),
  })
  .meta({ title: "Setting" });
export type SettingJson = z.infer<typeof SettingJson>;
