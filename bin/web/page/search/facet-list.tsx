import { memo } from "preact/compat";
import { useState } from "preact/hooks";
import { formatInteger, toOneLine } from "../../../format/safe.ts";
import { folderName } from "../../../format/titles.ts";
import type { Answers, FacetCount } from "../../api/answers.ts";
import { getRoleName } from "./role-names.ts";
import type { SearchField, SearchState } from "./search-state.ts";

interface Group {
  title: string;
  field: SearchField;
  facet: "projects" | "models" | "roles" | "tools";
  /** A short display name for a value; the value itself by default. */
  name?: (value: string) => string;
}

const GROUPS: readonly Group[] = [
  { title: "Project", field: "cwd", facet: "projects", name: folderName },
  { title: "Model", field: "model", facet: "models", name: (model) => model.slice(model.indexOf("/") + 1) },
  { title: "Role", field: "role", facet: "roles", name: getRoleName },
  { title: "Tool", field: "tool", facet: "tools" },
];

/** Checkboxes, and the parameter value of a checked one. */
const TOGGLES: readonly { label: string; field: SearchField; on: string }[] = [
  { label: "Named", field: "named", on: "true" },
  { label: "Pinned", field: "pinned", on: "true" },
  { label: "With file problems", field: "problems", on: "true" },
  { label: "Include archived", field: "archived", on: "yes" },
  { label: "Include subagents", field: "subagents", on: "yes" },
];

/** Values shown until the list is expanded. */
const MAX_COLLAPSED_VALUES = 8;

interface FacetListProps {
  answer: Answers["facets"] | undefined;
  state: SearchState;
  onChange: (changes: Partial<SearchState>) => void;
}

/** Filters: the most common values among the results, and what to include. */
export const FacetList = memo(function FacetList({ answer, state, onChange }: FacetListProps) {
  const { facets, tags = [] } = answer ?? {};
  return (
    <>
      {GROUPS.map((group) => (
        <FacetGroup
          key={group.field}
          {...group}
          counts={facets?.[group.facet] ?? []}
          selected={state[group.field]}
          onChoose={(value) => onChange({ [group.field]: value })}
        />
      ))}
      <FacetGroup
        title="Tag"
        counts={tags}
        selected={state.tags}
        onChoose={(value) => onChange({ tags: value })}
      />
      <fieldset class="facet">
        <legend>Sessions</legend>
        {TOGGLES.map(({ label, field, on }) => (
          <label key={field} class="facet-toggle">
            <input
              type="checkbox"
              checked={state[field] !== ""}
              onChange={({ currentTarget }) => onChange({ [field]: currentTarget.checked ? on : "" })}
            />
            {label}
          </label>
        ))}
      </fieldset>
    </>
  );
});

interface GroupProps extends Pick<Group, "title" | "name"> {
  counts: readonly FacetCount[];
  /** The selected value; "" for none. */
  selected: string;
  onChoose: (value: string) => void;
}

function FacetGroup({ title, name, counts, selected, onChoose }: GroupProps) {
  const [showsAll, showAll] = useState(false);
  const values =
    counts.some(({ value }) => value === selected) || selected === ""
      ? counts.toSorted((a, b) => b.sessions - a.sessions)
      : [{ value: selected, sessions: 0 }, ...counts];
  if (values.length === 0) return null;
  const shown = values.filter(({ value }, n) => showsAll || n < MAX_COLLAPSED_VALUES || value === selected);
  const more = values.length - shown.length;
  return (
    <section class="facet" aria-label={title}>
      <h2>
        {title} <span class="facet-counted">sessions</span>
      </h2>
      <ul>
        {shown.map(({ value, sessions }) => (
          <li key={value}>
            <button
              type="button"
              class="facet-value"
              aria-pressed={value === selected}
              title={toOneLine(value)}
              onClick={() => onChoose(value === selected ? "" : value)}
            >
              <bdi class="facet-name">{toOneLine(name?.(value) ?? value)}</bdi>
              <span class="facet-count">{formatInteger(sessions)}</span>
            </button>
          </li>
        ))}
      </ul>
      {(more > 0 || (showsAll && values.length > MAX_COLLAPSED_VALUES)) && (
        <button type="button" class="facet-more" onClick={() => showAll(!showsAll)}>
          {showsAll ? "Fewer" : `${formatInteger(more)} more`}
        </button>
      )}
    </section>
  );
}
