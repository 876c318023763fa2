/**
 * What the model may give the tools, as JSON schemas. Of this module the build keeps the value alone, so that the extension
 * loads without zod: rolldown.config.ts.
 */
import { z } from "zod";
import { ReadQuestion, SearchQuestion } from "../agents/questions.ts";

export const TOOL_PARAMETERS: { search: object; read: object } = {
  search: parametersOf(SearchQuestion),
  read: parametersOf(ReadQuestion),
};

/** As who asks writes it: what has a default may be missing. */
function parametersOf(question: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(question, { io: "input" });
  return schema;
}
