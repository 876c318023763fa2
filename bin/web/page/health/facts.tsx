import type { ComponentChildren } from "preact";
import { bytes } from "../../../format/bytes.ts";
import { leftOutReason } from "../../../format/left-out.ts";
import { counted, grouped, oneLine } from "../../../format/safe.ts";
import { dayAndTime } from "../../../format/times.ts";
import type { DoctorAnswer } from "../../api/answers.ts";

type Diagnosis = DoctorAnswer["diagnosis"];

/** What pidex stands on: roots, the database, how far behind it is, whether it hears of changes. */
export function Facts({ diagnosis }: { diagnosis: Diagnosis }) {
  const { versions, roots, leftOut, database, freshness, indexing, watching, unknown } = diagnosis;
  return (
    <div class="facts">
      <Section title="Roots" wide>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys */}
        <section class="table-scroll" tabIndex={0} aria-label="Session folders">
          <table class="numbers">
            <caption class="unseen">Session folders</caption>
            <thead>
              <tr>
                <th scope="col">Folder</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Files
                </th>
                <th scope="col" class="number">
                  Size
                </th>
                <th scope="col">Named by</th>
              </tr>
            </thead>
            <tbody>
              {roots.map((root) => (
                <tr key={root.path}>
                  <th scope="row" class="path">
                    <bdi>{oneLine(root.path)}</bdi>
                  </th>
                  <td>{root.state === "folder" && root.files === 0 ? "empty" : root.state}</td>
                  <td class="number">{grouped(root.files)}</td>
                  <td class="number">{bytes(root.bytes)}</td>
                  <td>{[root.agent, root.from].filter(Boolean).join(", ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </Section>
      {leftOut.length > 0 && (
        <Section title="Not indexed" wide>
          <ul>
            {leftOut.map((folder) => (
              <li key={folder.path}>
                <bdi class="path">{oneLine(folder.path)}</bdi>: {oneLine(leftOutReason(folder))}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Database">
        <List
          facts={[
            ["Path", <bdi key="path">{oneLine(database.path)}</bdi>],
            ["State", database.state],
            ["Size", database.bytes === undefined ? undefined : bytes(database.bytes)],
            ["Log", database.walBytes === undefined ? undefined : bytes(database.walBytes)],
            [
              "Pages",
              database.check &&
                { ok: "all whole", broken: "broken", unfinished: "not all checked" }[database.check],
            ],
            ["Who may read it", database.mode && `${database.mode} of ${database.owner}`],
            [
              "Free on its disk",
              database.diskFreeBytes === undefined ? undefined : bytes(database.diskFreeBytes),
            ],
          ]}
        />
      </Section>
      <Section title="Freshness">
        <List
          facts={[
            ["New", freshness && grouped(freshness.new)],
            ["Changed", freshness && grouped(freshness.changed)],
            ["Gone", freshness && grouped(freshness.gone)],
            ["To read again", freshness && grouped(freshness.rereading)],
            ["Unfinished", freshness && grouped(freshness.unfinished)],
            [
              "Last change",
              freshness?.newestChange ? dayAndTime(new Date(freshness.newestChange)) : undefined,
            ],
            ["Now", indexing ? "a pidex is indexing" : freshness ? "nobody is indexing" : "not known"],
          ]}
        />
      </Section>
      <Section title="Watching">
        <List
          facts={[
            ["Folders", counted(watching.folders, "folder")],
            [
              "State",
              watching.works === undefined
                ? "not known"
                : watching.works
                  ? "works"
                  : `does not work: ${watching.reason}`,
            ],
            ["Allowed folders", watching.maxWatches === undefined ? undefined : grouped(watching.maxWatches)],
            [
              "Allowed watchers",
              watching.maxInstances === undefined ? undefined : grouped(watching.maxInstances),
            ],
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
        <Section title="Not known" wide>
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

/** Names and what they are; what is not told is left out. */
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
