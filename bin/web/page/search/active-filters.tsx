import { toOneLine } from "../../../format/safe.ts";
import { folderName } from "../../../format/titles.ts";
import { getRoleName } from "./role-names.ts";
import type { SearchField, SearchState } from "./search-state.ts";

/** Filters with a name, and the words for their values. The days are named above their chart. */
const NAMES: Partial<Record<SearchField, (value: string) => string>> = {
  cwd: (cwd) => `Project: ${folderName(cwd)}`,
  model: (model) => `Model: ${model.slice(model.indexOf("/") + 1)}`,
  tags: (tag) => `Tag: ${tag}`,
  role: (role) => `Role: ${getRoleName(role)}`,
  tool: (tool) => `Tool: ${tool}`,
  usage: () => "With model responses",
  named: () => "Named",
  pinned: () => "Pinned",
  problems: () => "With file problems",
  archived: () => "Archived included",
  subagents: () => "Subagents included",
};

interface Props {
  state: SearchState;
  onChange: (changes: Partial<SearchState>) => void;
}

/** The filters that apply, each with a button that removes it. */
export function ActiveFilters({ state, onChange }: Props) {
  const active = Object.entries(NAMES).flatMap(([name, write]) => {
    const value = state[name as SearchField];
    return value === "" ? [] : [{ name: name as SearchField, label: toOneLine(write(value)) }];
  });
  if (active.length === 0) return null;
  return (
    <ul class="active-filters" aria-label="Active filters">
      {active.map(({ name, label }) => (
        <li key={name}>
          <button
            type="button"
            class="chip"
            title="Remove this filter"
            onClick={() => onChange({ [name]: "" })}
          >
            <bdi>{label}</bdi> <span aria-hidden="true">✕</span>
            <span class="unseen">: remove this filter</span>
          </button>
        </li>
      ))}
      {active.length > 1 && (
        <li>
          <button
            type="button"
            class="link"
            onClick={() => onChange(Object.fromEntries(active.map(({ name }) => [name, ""])))}
          >
            Clear filters
          </button>
        </li>
      )}
    </ul>
  );
}
