import { memo } from "preact/compat";
import { piecesOf, sourceOf } from "../../../format/hits.ts";
import { counted, oneLine } from "../../../format/safe.ts";
import { age, dayAndTime } from "../../../format/times.ts";
import { folderName, titleOf } from "../../../format/titles.ts";
import { nameInAddress, sessionAddress } from "../shell/address.ts";
import type { FoundSession } from "./use-found.ts";

interface RowProps {
  found: FoundSession;
  q: string;
}

/** A session with its title, metadata and best hits. */
export const ResultRow = memo(function ResultRow({ found: { session, hits, hitCount }, q }: RowProps) {
  const { cwd, modified, messageCount, model, tags } = session;
  const name = nameInAddress(session);
  const date = new Date(modified);
  const more = hitCount - hits.length;
  const missing = hits[0]?.missing ?? [];
  const marks = [
    session.parentSessionPath && "fork",
    session.subagent && "subagent",
    session.archived && "archived",
    session.labelCount > 0 && counted(session.labelCount, "label"),
  ].filter(Boolean) as string[];
  return (
    <li class="result">
      <div class="result-head">
        {session.pinned && (
          <span class="result-pin" title="Pinned">
            <svg viewBox="0 0 16 16" role="img" aria-label="Pinned">
              <path d="M9.5 1.5 14.5 6.5 11 8l-2.5 4.5L7 11 3 15 1 15 1 13 5 9 3.5 7.5 8 5z" />
            </svg>
          </span>
        )}
        <a class="result-title" href={sessionAddress(name, { q })} dir="auto">
          {titleOf(session)}
        </a>
        <time class="result-age" dateTime={modified} title={dayAndTime(date)}>
          {age(date)}
        </time>
      </div>
      <div class="result-facts">
        <bdi class="result-project" title={oneLine(cwd)}>
          {folderName(cwd) || "no folder"}
        </bdi>
        <span>{counted(messageCount, "message")}</span>
        {model && <bdi>{oneLine(model)}</bdi>}
        {marks.map((mark) => (
          <span key={mark} class="chip">
            {mark}
          </span>
        ))}
        {session.problemCount > 0 && (
          <span class="chip chip-bad">{counted(session.problemCount, "problem")}</span>
        )}
        {tags.map((tag) => (
          <bdi key={tag} class="chip chip-tag">
            {oneLine(tag)}
          </bdi>
        ))}
      </div>
      {hits.length > 0 && (
        <ul class="hits">
          {hits.map((hit) => (
            <li key={hit.line}>
              <a
                class="hit"
                href={sessionAddress(name, { entry: hit.entryId ?? undefined, line: hit.line, q })}
              >
                <Source hit={hit} />
                <span class="hit-text" dir="auto">
                  {piecesOf(hit).map(({ text, found }, n) => (found ? <mark key={n}>{text}</mark> : text))}
                </span>
              </a>
            </li>
          ))}
          {missing.length > 0 && <li class="hit-missing">Missing: {missing.map(oneLine).join(", ")}</li>}
          {more > 0 && (
            <li>
              <a class="hit-more" href={sessionAddress(name, { q })}>
                {counted(more, "more hit")}
              </a>
            </li>
          )}
        </ul>
      )}
    </li>
  );
});

/** Sources with a colour. Others are text from the session, which must not become a class name. */
const COLOURED: ReadonlySet<string> = new Set(["user", "call", "bash", "summary", "name"]);

function Source({ hit }: { hit: FoundSession["hits"][number] }) {
  const source = sourceOf(hit);
  return <span class={COLOURED.has(source) ? `hit-source hit-${source}` : "hit-source"}>{source}</span>;
}
