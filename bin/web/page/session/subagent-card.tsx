/** A subagent's session, collapsed at the entry that started it. */
import { useMemo, useState } from "preact/hooks";
import { formatDollars } from "../../../format/numbers.ts";
import { formatCount, toOneLine } from "../../../format/safe.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import type { LocatedEntryJson, SessionLink } from "../../api/session-answers.ts";
import type { FoldState } from "../entries/display-options.ts";
import { EntryView } from "../entries/entry-view.tsx";
import { sessionUrl } from "../shell/address.ts";
import { apiGet, useLoaded } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { ErrorMessage } from "../shell/error-message.tsx";
import { BranchRows } from "./branch-rows.ts";
import { createEntryLinks } from "./entry-links.ts";
import { SessionTree } from "./session-tree.ts";

/** Maximum number of rows, from the end of the session. */
const MAX_ROWS = 12;

export function SubagentCard({ started, folding }: { started: SessionLink; folding: FoldState }) {
  const { path, messageCount, model } = started.session;
  const key = `subagent ${path}`;
  const [isOpen, setOpen] = useState(() => folding.isOpen(key, false));
  return (
    <details
      class="subagent card"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open);
        folding.setOpen(key, open);
      }}
    >
      <summary>
        <span class="subagent-kind">Subagent</span>
        <bdi class="subagent-title">{getSessionTitle(started.session)}</bdi>
        <span class="quiet">
          {formatCount(messageCount, "message")}
          {model && ` · ${toOneLine(model)}`}
          {started.costUsd > 0 && ` · ${formatDollars(started.costUsd)}`}
        </span>
      </summary>
      {isOpen && <LastEntries path={path} folding={folding} />}
    </details>
  );
}

interface Row {
  placed: LocatedEntryJson;
  results: LocatedEntryJson[];
}

function LastEntries({ path, folding }: { path: string; folding: FoldState }) {
  const { data: shown, error } = useLoaded(path, useVersion(path), (signal) => lastRows(path, signal));
  const links = useMemo(() => createEntryLinks(path), [path]);
  // Keys are prefixed with the path, because lines of different files have the same numbers.
  const within = useMemo(
    (): FoldState => ({
      isOpen: (key, usually) => folding.isOpen(`${path} ${key}`, usually),
      setOpen: (key, open) => folding.setOpen(`${path} ${key}`, open),
    }),
    [path, folding],
  );
  if (error !== undefined) return <ErrorMessage error={error} />;
  if (!shown) return <p class="subagent-more quiet">…</p>;
  return (
    <div class="subagent-entries">
      <p class="subagent-more">
        <a href={sessionUrl(path)}>
          {shown.more > 0
            ? `Open this session (${formatCount(shown.more, "earlier row")})`
            : "Open this session"}
        </a>
      </p>
      {shown.rows.map(({ placed, results }) => (
        <EntryView key={placed.line} {...{ placed, results, links }} folding={within} />
      ))}
    </div>
  );
}

/** The last rows, and the number of rows before them. */
async function lastRows(session: string, signal: AbortSignal): Promise<{ rows: Row[]; more: number }> {
  const tree = new SessionTree(await apiGet("outline", { session }, signal));
  const rows = new BranchRows(tree, tree.count - 1);
  const first = Math.max(0, rows.count - MAX_ROWS);
  const rowLines = Array.from({ length: rows.count - first }, (_, n) =>
    Array.from(rows.positions(first + n), (position) => tree.line[position] as number),
  );
  if (rowLines.length === 0) return { rows: [], more: 0 };
  const lines = rowLines.flat().slice(-400).join(",");
  const { entries } = await apiGet("entries", { session, lines }, signal);
  const byLine = new Map(entries.map((entry) => [entry.line, entry]));
  const rowEntries = rowLines.map((lines) => lines.flatMap((line) => byLine.get(line) ?? []));
  return {
    rows: rowEntries.flatMap(([placed, ...results]) => (placed ? [{ placed, results }] : [])),
    more: first,
  };
}
