/** The facets while they are open: values to filter by. */
import { replaceTerm } from "../format/query-terms.ts";
import type { PickerContext } from "./context.ts";
import { toFacetValues } from "./frames/facets-frame.ts";
import { countBodyRows } from "./frames/layout.ts";
import type { ActionId } from "./keys/actions.ts";
import { ListFilter } from "./list-filter.ts";
import type { FacetGroup, FacetValue } from "./model/requests.ts";
import type { FacetsState } from "./model/state.ts";
import { moveSelection } from "./scroll-position.ts";

/** A value with the group that it belongs to. */
interface GroupedValue {
  group: FacetGroup;
  value: FacetValue;
}

export class FacetsView {
  readonly #picker: PickerContext;
  #filter = this.#createFilter();
  /** Whether Enter was pressed while the values were being read: then the first match is chosen. */
  #choosesFirst = false;
  #counting: AbortController | undefined;

  constructor(picker: PickerContext) {
    this.#picker = picker;
  }

  get filter(): ListFilter<GroupedValue> {
    return this.#filter;
  }

  /** Shows the view at once, so that keys typed while the values are read go to its filter. Their counts come later. */
  async open(): Promise<void> {
    const { state, views, client, showErrors, screen } = this.#picker;
    const opened = this.#createFilter();
    this.#filter = opened;
    this.#choosesFirst = false;
    state.facets = { selected: 0 };
    views.open("facets");
    this.cancel();
    const counting = new AbortController();
    this.#counting = counting;
    const { signal } = counting;
    const unlessClosed = (groups: Promise<FacetGroup[]>) =>
      showErrors(
        groups.catch((error) => {
          if (!signal.aborted) throw error;
        }),
      );
    const isClosed = () => this.#filter !== opened || signal.aborted; // closed, or opened again
    const values = await unlessClosed(client.call("facets", state.view, { signal }));
    if (isClosed()) return;
    if (!values && state.mode === "facets") views.back();
    this.#show(values ?? []);
    if (this.#choosesFirst) return this.#choose(state.facets);
    screen.redraw();
    const counted = await unlessClosed(client.call("countFacets", state.view, values ?? [], { signal }));
    if (isClosed() || !counted) return;
    this.#show(counted);
    screen.redraw();
  }

  /** Shows values, or the same values with their counts: the selected one stays selected. */
  #show(groups: readonly FacetGroup[]): void {
    const { state } = this.#picker;
    const before = state.facets && toFacetValues(state.facets.groups)[state.facets.selected];
    this.#filter.setItems(groups.flatMap((group) => group.values.map((value) => ({ group, value }))));
    if (!state.facets) return;
    const at = toFacetValues(state.facets.groups).findIndex(({ term }) => term === before?.term);
    state.facets.selected = Math.max(0, at);
  }

  /** Ends the counting: call this when the view is closed. */
  cancel(): void {
    this.#counting?.abort();
  }

  /** Call this for every key: another key cancels an Enter that waits for the values. */
  onKey(): void {
    this.#choosesFirst = false;
  }

  run(facets: FacetsState, action: ActionId): void {
    const { screen } = this.#picker;
    const count = toFacetValues(facets.groups).length;
    const to = moveSelection(action, facets.selected, count, countBodyRows(screen.size));
    this.#choosesFirst = action === "choose" && facets.groups === undefined;
    if (to !== undefined) facets.selected = to;
    else if (action === "choose" && !this.#choosesFirst) this.#choose(facets);
  }

  /** Filters by the selected value: it is added to the query, in place of another value of its field. */
  #choose({ groups, selected }: FacetsState): void {
    const { views, query, setQuery } = this.#picker;
    const chosen = toFacetValues(groups)[selected];
    if (!chosen) return;
    views.back();
    setQuery(`${replaceTerm(query.text.trim(), chosen.term)} `);
  }

  #createFilter(): ListFilter<GroupedValue> {
    return new ListFilter(toText, (values) => {
      this.#picker.state.facets = { groups: toGroups(values), selected: 0 };
    });
  }
}

/** The field, and the value without the folders or the provider before it, as the term of the query has it. */
const toText = ({ group, value: { value } }: GroupedValue): string =>
  `${group.name} ${value.split(/[\\/]/).at(-1) || value}`;

/** Groups values in the order of their first ones, so that the best match is the first value. */
function toGroups(values: readonly GroupedValue[]): FacetGroup[] {
  const byGroup = Map.groupBy(values, ({ group }) => group);
  return [...byGroup].map(([group, own]) => ({ ...group, values: own.map(({ value }) => value) }));
}
