import type { ComponentChildren } from "preact";
import { formatBytes } from "../../../format/bytes.ts";
import { formatInteger, toOneLine } from "../../../format/safe.ts";
import { formatSkipReason } from "../../../format/skip-reason.ts";
import { formatMoment } from "../../../format/times.ts";
import type { Answers } from "../../api/answers.ts";
import { RootTable } from "./root-table.tsx";

type Diagnosis = Answers["doctor"]["diagnosis"];

/** Names and values. Undefined values are omitted. */
type Facts = readonly (readonly [name: string, value: ComponentChildren])[];

/** What names of facts mean, where that is not obvious. docs/doctor.md and docs/index-file.md say more. */
const HINTS: ReadonlyMap<string, string> = new Map([
  [
    "Write-ahead log",
    "Changes that SQLite has not moved into the database file yet: a file beside it, which it empties by itself.",
  ],
  ["Integrity", "Whether the pages of the database file are undamaged."],
  ["To reindex", "Files that an older pidex indexed. The next sync reads them again."],
  ["Partly indexed", "Files whose indexing was interrupted. The next sync continues with them."],
  ["Folder limit", "How many folders this system lets a user watch for changes (inotify)."],
  ["Watcher limit", "How many programs of a user this system lets watch folders at once (inotify)."],
  [
    "Schema version",
    "The version of the database's tables. A newer pidex changes them when it opens the database.",
  ],
  [
    "Extraction version",
    "The version of what pidex reads from session files. A newer one makes it read all of them again.",
  ],
]);

/** Details of a diagnosis: session folders, database, index status, watching and versions. */
export function DiagnosisDetails({ diagnosis }: { diagnosis: Diagnosis }) {
  const { versions, roots, skippedFolders, database, freshness, indexing, watching, unknown } = diagnosis;
  const { check } = database;
  const sections: Record<string, Facts> = {
    Database: [
      ["Path", <bdi key="path">{toOneLine(database.path)}</bdi>],
      ["State", database.state],
      ["Size", known(database.bytes, formatBytes)],
      ["Write-ahead log", known(database.walBytes, formatBytes)],
      ["Integrity", check && { ok: "OK", broken: "damaged", unfinished: "partly checked" }[check]],
      ["Permissions", database.mode && `0${database.mode} (${database.owner})`],
      ["Free disk space", known(database.diskFreeBytes, formatBytes)],
    ],
    Index: [
      ["New files", known(freshness?.new, formatInteger)],
      ["Changed files", known(freshness?.changed, formatInteger)],
      ["Deleted files", known(freshness?.gone, formatInteger)],
      ["To reindex", known(freshness?.rereading, formatInteger)],
      ["Partly indexed", known(freshness?.unfinished, formatInteger)],
      ["Last change", known(freshness?.newestChange, (change) => formatMoment(new Date(change)))],
      ["Sync", indexing ? "running" : freshness ? "idle" : "unknown"],
    ],
    Watching: [
      ["Folders", formatInteger(watching.folders)],
      ["State", known(watching.works, (works) => (works ? "OK" : `failed: ${watching.reason}`)) ?? "unknown"],
      ["Folder limit", known(watching.maxWatches, formatInteger)],
      ["Watcher limit", known(watching.maxInstances, formatInteger)],
    ],
    Versions: [
      ["pidex", versions.pidex],
      ["Node", versions.node],
      ["SQLite", versions.sqlite ?? "not loaded"],
      ["Schema version", String(versions.schema)],
      ["Extraction version", String(versions.extraction)],
    ],
  };
  return (
    <div class="facts">
      <Section title="Session folders" wide>
        <RootTable roots={roots} />
      </Section>
      {skippedFolders.length > 0 && (
        <Section title="Skipped folders" wide>
          <ul>
            {skippedFolders.map((folder) => (
              <li key={folder.path}>
                <bdi class="path">{toOneLine(folder.path)}</bdi>: {toOneLine(formatSkipReason(folder))}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {Object.entries(sections).map(([title, facts]) => (
        <Section key={title} title={title}>
          <List facts={facts} />
        </Section>
      ))}
      {unknown.length > 0 && (
        <Section title="Unknown" wide>
          <List facts={unknown.map(({ what, why }) => [what, why])} />
        </Section>
      )}
    </div>
  );
}

function Section({ title, wide, children }: { title: string; wide?: boolean; children: ComponentChildren }) {
  return (
    <section class={wide ? "card fact-section fact-wide" : "card fact-section"}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Formats a value; undefined if it is missing. */
function known<T>(value: T | null | undefined, write: (value: T) => string): string | undefined {
  return value === undefined || value === null ? undefined : write(value);
}

function List({ facts }: { facts: Facts }) {
  return (
    <dl class="fact-list">
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt title={HINTS.get(name)}>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
