/** The facets while they are open: values to filter by. */
import { addTerm } from "../format/query-terms.ts";
import type { PickerContext } from "./context.ts";
import { toFacetValues } from "./frames/facets-frame.ts";
import { countBodyRows } from "./frames/layout.ts";
import type { ActionId } from "./keys/actions.ts";
import type { FacetsState } from "./model/state.ts";
import { moveSelection } from "./scroll-position.ts";

export class FacetsView {
  readonly #picker: PickerContext;

  constructor(picker: PickerContext) {
    this.#picker = picker;
  }

  async open(): Promise<void> {
    const { state, views, client, showErrors, screen } = this.#picker;
    const { path } = views;
    const groups = await showErrors(client.call("facets", state.view));
    if (groups) {
      state.facets = { groups, selected: 0 };
      views.open("facets", path);
    }
    screen.redraw();
  }

  run(facets: FacetsState, action: ActionId): void {
    const { screen, views, query, setQuery } = this.#picker;
    const values = toFacetValues(facets.groups);
    const to = moveSelection(action, facets.selected, values.length, countBodyRows(screen.size));
    const chosen = values[facets.selected];
    if (to !== undefined) facets.selected = to;
    else if (action === "choose") {
      views.back();
      if (chosen) setQuery(`${addTerm(query.text.trim(), chosen.term)} `);
    }
  }
}
