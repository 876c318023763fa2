/**
 * Parameters of the tools, as JSON schemas. The build inlines the value, so that the extension loads without zod: see
 * rolldown.config.ts.
 */
import { z } from "zod";
import { HandoffParams, InsightsParams, ReadParams, SearchParams } from "../agents/params.ts";

export const TOOL_PARAMETERS: { search: object; read: object; handoff: object; insights: object } = {
  search: toJsonSchema(SearchParams),
  read: toJsonSchema(ReadParams),
  handoff: toJsonSchema(HandoffParams),
  insights: toJsonSchema(InsightsParams),
};

/** The input schema: parameters with defaults are optional. */
function toJsonSchema(params: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(params, { io: "input" });
  return schema;
}
