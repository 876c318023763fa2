import { useState } from "preact/hooks";
import { MAX_EXPORTED_BYTES, MAX_EXPORTED_SESSIONS } from "../../../format/export-limits.ts";
import { formatCount, formatInteger } from "../../../format/safe.ts";
import { toUrlName } from "../shell/address.ts";
import { ExportDialog, type ExportSource } from "../shell/export-dialog.tsx";
import { type SearchState, toExportParams, toSearchRequest } from "./search-state.ts";
import { countOf, type Totals } from "./summarize.ts";
import type { SearchResults } from "./use-search-results.ts";

interface ExportProps {
  state: SearchState;
  found: SearchResults;
  totals: Totals;
}

/** Opens the export of all results. */
export function ExportLink({ state, found, totals }: ExportProps) {
  const [isOpen, setOpen] = useState(false);
  const { by } = toSearchRequest(state);
  // Only the page finds these sessions, so it names them.
  const paths = by === "scan" ? found.sessions.map(({ session }) => toUrlName(session)) : undefined;
  const exported = paths ? { session: paths } : toExportParams(state);
  if (exported === undefined) return null;
  const counted = countOf(found, by, totals);
  const { sessions } = counted;
  const isWhole = counted.isWhole || paths !== undefined;
  const all = sessions + (found.closestCount ?? 0);
  if (all === 0) return null;
  const prefix = isWhole ? "" : "more than ";
  const amount =
    all > MAX_EXPORTED_SESSIONS
      ? `the first ${formatInteger(MAX_EXPORTED_SESSIONS)} of ${prefix}${formatCount(all, "session")}`
      : `${prefix}${formatCount(all, "session")}`;
  const whole = {
    id: "whole",
    subject: amount,
    params: paths ? exported : { ...exported, whole: true },
    hasBranches: true,
  };
  const sources: [ExportSource, ...ExportSource[]] = paths
    ? [{ ...whole, label: `Whole sessions: ${amount}`, hint: "Every session that was found in the files." }]
    : "whole" in exported
      ? [{ ...whole, label: `Whole sessions: ${amount}`, hint: "All sessions with these filters." }]
      : [
          {
            id: "hits",
            label: `Matches with context: ${amount}`,
            hint: "The best matching entries of each session, and those around them.",
            subject: amount,
            params: exported,
          },
          { ...whole, label: `Whole sessions: ${amount}`, hint: "Every message of the sessions that match." },
        ];
  return (
    <>
      <button type="button" class="button export-link" onClick={() => setOpen(true)}>
        Export{isWhole ? <span class="export-amount"> {amount}</span> : " …"}
      </button>
      {isOpen && (
        <ExportDialog
          sources={sources}
          note={`At most ${formatInteger(MAX_EXPORTED_SESSIONS)} sessions and ${MAX_EXPORTED_BYTES / 1024 ** 2} MB; a file that is cut off says so at its end.`}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
