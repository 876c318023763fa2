import { memo } from "preact/compat";
import { useState } from "preact/hooks";
import { formatInteger, toOneLine } from "../../../format/safe.ts";
import { folderName } from "../../../format/titles.ts";
import type { Answers, FacetCount } from "../../api/answers.ts";
import { formatKey } from "../shell/commands.ts";
import { chooseValue, type FacetChoice, type FacetField, getExcluded, getSelected } from "./facet-terms.ts";
import { getRoleName } from "./role-names.ts";
import type { SearchField, SearchState } from "./search-state.ts";

interface Group {
  title: string;
  field: FacetField;
  facet: "projects" | "models" | "roles" | "tools" | "tags";
  /** A short display name for a value; the value itself by default. */
  name?: (value: string) => string;
}

const GROUPS: readonly Group[] = [
  { title: "Project", field: "cwd", facet: "projects", name: folderName },
  { title: "Model", field: "model", facet: "models", name: (model) => model.slice(model.indexOf("/") + 1) },
  { title: "Role", field: "role", facet: "roles", name: getRoleName },
  { title: "Tool", field: "tool", facet: "tools" },
  { title: "Tag", field: "tags", facet: "tags" },
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
  /** Whether the answer is that of the query before. */
  isStale: boolean;
  state: SearchState;
  onChange: (changes: Partial<SearchState>) => void;
}

/** Filters: the most common values among the results, and what to include. */
export const FacetList = memo(function FacetList({ answer, isStale, state, onChange }: FacetListProps) {
  return (
    <div class={isStale ? "facets facets-stale" : "facets"} aria-busy={isStale}>
      {GROUPS.map((group) => (
        <FacetGroup
          key={group.field}
          {...group}
          counts={answer?.facets[group.facet] ?? []}
          {...{ state, onChange }}
        />
      ))}
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
    </div>
  );
});

interface GroupProps
  extends Pick<Group, "title" | "name" | "field">,
    Omit<FacetListProps, "answer" | "isStale"> {
  counts: readonly FacetCount[];
}

function FacetGroup({ title, name, field, counts, state, onChange }: GroupProps) {
  const [showsAll, showAll] = useState(false);
  const counted = counts.map(({ value }) => value);
  const selected = getSelected(field, counted, state);
  const missing = [...selected].filter((value) => !counted.includes(value));
  const values = [
    ...missing.map((value) => ({ value, sessions: 0 })),
    ...counts.toSorted((a, b) => b.sessions - a.sessions),
  ];
  const excluded = getExcluded(field, state);
  if (values.length + excluded.length === 0) return null;
  const shown = values.filter(({ value }, n) => showsAll || n < MAX_COLLAPSED_VALUES || selected.has(value));
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
              aria-pressed={selected.has(value)}
              title={`${toOneLine(value)}\n${formatKey("Ctrl+click")} to add or remove, Alt+click to exclude`}
              onClick={(event) =>
                onChange(chooseValue(field, value, toChoice(event), { state, values: counted }))
              }
            >
              <bdi class="facet-name">{toOneLine(name?.(value) ?? value)}</bdi>
              <span class="facet-count">{formatInteger(sessions)}</span>
            </button>
          </li>
        ))}
        {excluded.map(({ value, without }) => (
          <li key={`-${value}`}>
            <button
              type="button"
              class="facet-value facet-excluded"
              title={`${toOneLine(value)} is excluded. Click to include it again`}
              onClick={() => onChange({ q: without })}
            >
              <bdi class="facet-name">{toOneLine(name?.(value) ?? value)}</bdi>
              <span class="facet-count">excluded</span>
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

/** Ctrl or Cmd adds a value, Alt excludes it. */
function toChoice({ ctrlKey, metaKey, altKey }: MouseEvent): FacetChoice {
  if (altKey) return "exclude";
  return ctrlKey || metaKey ? "add" : "only";
}
