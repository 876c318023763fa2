/** Says why a list is empty. */
import type { ListOptions } from "../../../library/index.ts";
import type { AnyIndex } from "../../actions/index-location.ts";
import { explainNoMatches } from "../../actions/unmatched-values.ts";
import { formatFilterNotice } from "../../format/filter-notice.ts";
import { parseTypedQuery } from "../../format/typed-query.ts";
import type { Results } from "../model/view.ts";

/** Adds to empty results: words that look like filters, values that no session has, and which sessions exist that the view excludes. */
export async function explainEmpty(index: AnyIndex, found: Results): Promise<Results> {
  const { query, cwd, archived, subagents } = found.view;
  const notices =
    parseTypedQuery(query).by === "words"
      ? [formatFilterNotice(query, "nothing"), ...(await explainNoMatches(index, {}, query))]
      : [];
  const exists = async (filters: ListOptions) =>
    (await index.listSummaries({ cwd, limit: 1, ...filters })).length > 0;
  return {
    ...found,
    notice: [found.notice, ...notices].filter(Boolean).join("\n") || undefined,
    excluded: {
      archived: !archived && (await exists({ archived: "only", subagents: "yes" })),
      subagents: !subagents && (await exists({ subagents: "only", archived: "yes" })),
    },
  };
}
