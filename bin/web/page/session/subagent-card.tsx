/** A subagent's session, collapsed at the entry that started it. */
import { useContext, useMemo } from "preact/hooks";
import { formatDollars } from "../../../format/numbers.ts";
import { formatCount, toOneLine } from "../../../format/safe.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import type { SessionLink } from "../../api/session-answers.ts";
import { DisplayContext, type FoldState } from "../entries/display-options.ts";
import { EntryView } from "../entries/entry-view.tsx";
import { Foldable } from "../entries/foldable.tsx";
import { sessionUrl } from "../shell/address.ts";
import { apiGet, useLoaded } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { LoadError } from "../shell/load-error.tsx";
import { BranchRows } from "./branch-rows.ts";
import { createEntryLinks } from "./entry-addresses.ts";
import { SessionTree } from "./session-tree.ts";

/** Maximum number of rows, from the end of the session. */
const MAX_ROWS = 12;

export function SubagentCard({ started }: { started: SessionLink }) {
  const { path, messageCount, model } = started.session;
  const summary = (
    <>
      <span class="subagent-kind">Subagent</span>
      <bdi class="subagent-title">{getSessionTitle(started.session)}</bdi>
      <span class="quiet">
        {formatCount(messageCount, "message")}
        {model && ` · ${toOneLine(model)}`}
        {started.costUsd > 0 && ` · ${formatDollars(started.costUsd)}`}
      </span>
    </>
  );
  return (
    <Foldable class="subagent card" name={`subagent ${path}`} summary={summary}>
      <LastEntries path={path} />
    </Foldable>
  );
}

function LastEntries({ path }: { path: string }) {
  const { data: shown, error } = useLoaded(path, useVersion(path), (signal) => lastRows(path, signal));
  const { folding, onOpenImage } = useContext(DisplayContext);
  const display = useMemo(() => {
    // Names are prefixed with the path, because lines of different files have the same numbers.
    const within: FoldState = {
      get: (name) => folding?.get(`${path} ${name}`),
      set: (name, isOpen) => folding?.set(`${path} ${name}`, isOpen),
    };
    const links = createEntryLinks(path, (entry) => sessionUrl(path, { entry }));
    return { links, folding: within, onOpenImage };
  }, [path, folding, onOpenImage]);
  if (error !== undefined) return <LoadError error={error} />;
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
      <DisplayContext.Provider value={display}>
        {shown.rows.map(({ placed, results }) => (
          <EntryView key={placed.line} {...{ placed, results }} />
        ))}
      </DisplayContext.Provider>
    </div>
  );
}

/** The last rows, and the number of rows before them. */
async function lastRows(session: string, signal: AbortSignal) {
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
