import type { ComponentChildren } from "preact";
import { formatBytes } from "../../../format/bytes.ts";
import { formatCount, formatInteger, toOneLine } from "../../../format/safe.ts";
import { formatSkipReason } from "../../../format/skip-reason.ts";
import { formatDateTime } from "../../../format/times.ts";
import type { Answers } from "../../api/answers.ts";

type Diagnosis = Answers["doctor"]["diagnosis"];

/** Details of a diagnosis: session folders, database, index status, watching and versions. */
export function DiagnosisDetails({ diagnosis }: { diagnosis: Diagnosis }) {
  const { versions, roots, skippedFolders, database, freshness, indexing, watching, unknown } = diagnosis;
  return (
    <div class="facts">
      <Section title="Roots" wide>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it */}
        <section class="table-scroll" tabIndex={0} aria-label="Session folders">
          <table class="numbers">
            <caption class="unseen">Session folders</caption>
            <thead>
              <tr>
                {["Folder", "State", "Files", "Size", "Source"].map((name) => (
                  <th
                    key={name}
                    scope="col"
                    class={name === "Files" || name === "Size" ? "number" : undefined}
                  >
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {roots.map((root) => (
                <tr key={root.path}>
                  <th scope="row" class="path">
                    <bdi>{toOneLine(root.path)}</bdi>
                  </th>
                  <td>{root.state === "folder" && root.files === 0 ? "empty" : root.state}</td>
                  <td class="number">{formatInteger(root.files)}</td>
                  <td class="number">{formatBytes(root.bytes)}</td>
                  <td>{[root.agent, root.from].filter(Boolean).join(", ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
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
      <Section title="Database">
        <List
          facts={[
            ["Path", <bdi key="path">{toOneLine(database.path)}</bdi>],
            ["State", database.state],
            ["Size", known(database.bytes, formatBytes)],
            ["WAL", known(database.walBytes, formatBytes)],
            [
              "Integrity",
              database.check && { ok: "OK", broken: "damaged", unfinished: "partly checked" }[database.check],
            ],
            ["Permissions", database.mode && `0${database.mode} (${database.owner})`],
            ["Free disk space", known(database.diskFreeBytes, formatBytes)],
          ]}
        />
      </Section>
      <Section title="Index">
        <List
          facts={[
            ["New files", freshness && formatInteger(freshness.new)],
            ["Changed files", freshness && formatInteger(freshness.changed)],
            ["Deleted files", freshness && formatInteger(freshness.gone)],
            ["To re-index", freshness && formatInteger(freshness.rereading)],
            ["Partly indexed", freshness && formatInteger(freshness.unfinished)],
            ["Last change", known(freshness?.newestChange, (change) => formatDateTime(new Date(change)))],
            ["Sync", indexing ? "running" : freshness ? "not running" : "unknown"],
          ]}
        />
      </Section>
      <Section title="Watching">
        <List
          facts={[
            ["Folders", formatCount(watching.folders, "folder")],
            [
              "State",
              known(watching.works, (works) => (works ? "OK" : `failed: ${watching.reason}`)) ?? "unknown",
            ],
            ["Folder limit", known(watching.maxWatches, formatInteger)],
            ["Watcher limit", known(watching.maxInstances, formatInteger)],
          ]}
        />
      </Section>
      <Section title="Versions">
        <List
          facts={[
            ["pidex", versions.pidex],
            ["Node", versions.node],
            ["SQLite", versions.sqlite ?? "not loaded"],
            ["Schema", String(versions.schema)],
            ["Extraction", String(versions.extraction)],
          ]}
        />
      </Section>
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

/** Names and values. Undefined values are omitted. */
function List({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="fact-list">
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
