import type { UsageReport, UsageRow } from "../../library/index.ts";
import { UsageRowJson } from "../../library/schemas.ts";
import { createFieldSelector, type FieldGetters } from "./select-fields.ts";

const FIGURES: FieldGetters<UsageRow> = {
  cost: { value: ({ costUsd }) => costUsd },
  estimated: { value: ({ estimatedUsd }) => estimatedUsd },
  input: { value: ({ tokens }) => tokens.input },
  output: { value: ({ tokens }) => tokens.output },
  cacheRead: { value: ({ tokens }) => tokens.cacheRead },
  cacheWrite: { value: ({ tokens }) => tokens.cacheWrite },
};

/** The rows of a report reduced to some fields: those of `UsageRowJson`, dimensions, and piped columns. @throws PidexError `BAD_OPTION` */
export function selectUsageFields({ rows, by }: UsageReport, fields: readonly string[]): object[] {
  const keys: FieldGetters<UsageRow> = Object.fromEntries(
    by.map((each) => [each, { value: ({ key }: UsageRow) => key[each] }]),
  );
  const select = createFieldSelector<UsageRow>([...fields], Object.keys(UsageRowJson.shape), {
    ...keys,
    ...FIGURES,
  });
  return rows.map(select);
}
