import { memo } from "preact/compat";
import { useState } from "preact/hooks";
import { grouped, oneLine } from "../../../format/safe.ts";
import { folderName } from "../../../format/titles.ts";
import type { FacetCount, SearchAnswer } from "../../api/answers.ts";
import type { Wanted, Wish } from "./wanted.ts";

type Facets = NonNullable<SearchAnswer["facets"]>;

interface Group {
  title: string;
  wish: Wish;
  facet: "projects" | "models" | "roles" | "tools";
  /** The value, as short as it is still known again. */
  name: (value: string) => string;
}

const GROUPS: readonly Group[] = [
  { title: "Project", wish: "cwd", facet: "projects", name: folderName },
  { title: "Model", wish: "model", facet: "models", name: afterSlash },
  { title: "Role", wish: "role", facet: "roles", name: (value) => value },
  { title: "Tool", wish: "tool", facet: "tools", name: (value) => value },
];

/** What sessions are narrowed or widened by, and the value that says so. */
const TOGGLES: readonly { label: string; wish: Wish; on: string }[] = [
  { label: "Named", wish: "named", on: "true" },
  { label: "Pinned", wish: "pinned", on: "true" },
  { label: "With problems", wish: "problems", on: "true" },
  { label: "Archived too", wish: "archived", on: "yes" },
  { label: "Subagents’ too", wish: "subagents", on: "yes" },
];

/** Values that are shown before somebody asks for more. */
const FEW = 8;

interface Narrowing {
  facets: Facets | undefined;
  wanted: Wanted;
  onChange: (changes: Partial<Wanted>) => void;
}

/** What the sessions found have in common, to narrow them by, and what is left out unless asked for. */
export const FacetList = memo(function FacetList({ facets, wanted, onChange }: Narrowing) {
  return (
    <>
      {GROUPS.map((group) => (
        <FacetGroup
          key={group.wish}
          group={group}
          counts={facets?.[group.facet] ?? []}
          chosen={wanted[group.wish]}
          onChoose={(value) => onChange({ [group.wish]: value })}
        />
      ))}
      <fieldset class="facet">
        <legend>Sessions</legend>
        {TOGGLES.map(({ label, wish, on }) => (
          <label key={wish} class="facet-toggle">
            <input
              type="checkbox"
              checked={wanted[wish] !== ""}
              onChange={({ currentTarget }) => onChange({ [wish]: currentTarget.checked ? on : "" })}
            />
            {label}
          </label>
        ))}
      </fieldset>
    </>
  );
});

interface GroupProps {
  group: Group;
  counts: readonly FacetCount[];
  /** The value that is asked for; "" for none. */
  chosen: string;
  onChoose: (value: string) => void;
}

function FacetGroup({ group: { title, name }, counts, chosen, onChoose }: GroupProps) {
  const [showsAll, showAll] = useState(false);
  const values =
    counts.some(({ value }) => value === chosen) || chosen === ""
      ? counts
      : [{ value: chosen, hits: 0 }, ...counts];
  if (values.length === 0) return null;
  const shown = showsAll ? values : values.slice(0, FEW);
  return (
    <section class="facet" aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {shown.map(({ value, hits }) => (
          <li key={value}>
            <button
              type="button"
              class="facet-value"
              aria-pressed={value === chosen}
              title={oneLine(value)}
              onClick={() => onChoose(value === chosen ? "" : value)}
            >
              <bdi class="facet-name">{oneLine(name(value))}</bdi>
              <span class="facet-count">{hits > 0 ? grouped(hits) : ""}</span>
            </button>
          </li>
        ))}
      </ul>
      {values.length > FEW && (
        <button type="button" class="facet-more" onClick={() => showAll(!showsAll)}>
          {showsAll ? "Fewer" : `${grouped(values.length - FEW)} more`}
        </button>
      )}
    </section>
  );
}

function afterSlash(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}
