/** The files that the session changed: each leads to its edits, one after the other. */
import { useRef } from "preact/hooks";
import { formatCount, formatInteger } from "../../../format/safe.ts";
import { DiffCounts } from "../entries/diff.tsx";
import "./file-list.css";
import type { ChangedFile } from "./use-file-edits.ts";

/** Calls to open in the transcript. */
export interface OpenedCalls {
  /** The line of their message. */
  line: number;
  /** Their positions among the parts of the message. */
  parts: readonly number[];
}

interface Props {
  /** Undefined while they are loading. */
  files: readonly ChangedFile[] | undefined;
  /** The line in the address. */
  line: number;
  /** The address of a message, by its line. */
  addressOf: (line: number) => string;
  onGo: (calls: OpenedCalls) => void;
}

export function FileList({ files, line, addressOf, onGo }: Props) {
  const list = useRef<HTMLOListElement>(null);
  /** The file that was gone to last: a message may have changed several. */
  const current = useRef<string>(undefined);
  if (!files) return <p class="file-note" aria-busy="true" />;
  if (files.length === 0) return <p class="file-note">No files were changed.</p>;
  const move = (event: KeyboardEvent) => {
    const by = MOVES.get(event.key);
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const links = [...(list.current?.querySelectorAll("a") ?? [])];
    const at = links.indexOf(event.target as HTMLAnchorElement);
    links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
    event.preventDefault(); // the keys of the transcript
  };
  const here = files.filter(({ edits }) => edits.some((edit) => edit.line === line));
  const seen = here.find(({ path }) => path === current.current) ?? here[0];
  return (
    <div class="tree-scroller file-scroller">
      <p class="file-head" aria-hidden="true">
        <span>File</span>
        <span>Lines</span>
        <span class="file-edits">Edits</span>
      </p>
      <ol ref={list} class="file-list" onKeyDown={move}>
        {files.map((file) => {
          const at = file === seen ? file.edits.findIndex((edit) => edit.line === line) : -1;
          const next = file.edits[(at + 1) % file.edits.length] as ChangedFile["edits"][number];
          const name = file.path.slice(file.path.search(/[^/\\]*$/));
          const folder = file.path.slice(0, file.path.length - name.length);
          return (
            <li key={file.path}>
              <a
                class="file-row"
                href={addressOf(next.line)}
                aria-current={at >= 0 ? "location" : undefined}
                title={`${file.path}\n${formatCount(file.count, "edit")}`}
                onClick={() => {
                  current.current = file.path;
                  onGo(next);
                }}
              >
                <bdi class="file-path">
                  <span class="file-name">{name}</span>
                  {folder !== "" && <span class="file-folder"> {folder}</span>}
                </bdi>
                <DiffCounts added={file.added} removed={file.removed} />
                <span
                  class="file-edits"
                  title={
                    at >= 0 ? "The edit shown, of all edits of this file" : formatCount(file.count, "edit")
                  }
                >
                  {at >= 0 && file.edits.length > 1
                    ? `${formatInteger(at + 1)} of ${formatInteger(file.edits.length)}`
                    : formatInteger(file.count)}
                  <span class="unseen"> {file.count === 1 ? "edit" : "edits"}</span>
                </span>
              </a>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** How far keys move the focus. */
const MOVES: ReadonlyMap<string, number> = new Map([
  ["j", 1],
  ["ArrowDown", 1],
  ["k", -1],
  ["ArrowUp", -1],
  ["Home", Number.NEGATIVE_INFINITY],
  ["End", Number.POSITIVE_INFINITY],
]);
