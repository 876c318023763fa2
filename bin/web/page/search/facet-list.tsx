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
  counts: (facets: Facets) => FacetCount[];
  /** The value, as short as it is still known again. */
  name: (value: string) => string;
}

const GROUPS: readonly Group[] = [
  { title: "Project", wish: "cwd", counts: ({ projects }) => projects, name: folderName },
  { title: "Model", wish: "model", counts: ({ models }) => models, name: afterSlash },
  { title: "Role", wish: "role", counts: ({ roles }) => roles, name: (value) => value },
  { title: "Tool", wish: "tool", counts: ({ tools }) => tools, name: (value) => value },
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
          counts={facets ? group.counts(facets) : []}
          chosen={wanted[group.wish]}
          onChoose={(value) => onChange({ [group.wish]: value })}
        />
      ))}
      <fieldset class="facet">
        <legend>Sessions</legend>
        <Toggle
          label="Named"
          isOn={wanted.named !== ""}
          onToggle={(on) => onChange({ named: on ? "true" : "" })}
        />
        <Toggle
          label="Pinned"
          isOn={wanted.pinned !== ""}
          onToggle={(on) => onChange({ pinned: on ? "true" : "" })}
        />
        <Toggle
          label="With problems"
          isOn={wanted.problems !== ""}
          onToggle={(on) => onChange({ problems: on ? "true" : "" })}
        />
        <Toggle
          label="Archived too"
          isOn={wanted.archived !== ""}
          onToggle={(on) => onChange({ archived: on ? "yes" : "" })}
        />
        <Toggle
          label="Subagents’ too"
          isOn={wanted.subagents !== ""}
          onToggle={(on) => onChange({ subagents: on ? "yes" : "" })}
        />
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

function Toggle({
  label,
  isOn,
  onToggle,
}: {
  label: string;
  isOn: boolean;
  onToggle: (on: boolean) => void;
}) {
  return (
    <label class="facet-toggle">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
      />
      {label}
    </label>
  );
}

function afterSlash(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}
