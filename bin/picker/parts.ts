/** Creates the parts of the picker, and gives each the ones that it uses. */
import type { PickerContext } from "./context.ts";
import { FacetsView } from "./facets-view.ts";
import { HelpView } from "./help-view.ts";
import type { ActionId } from "./keys/actions.ts";
import { ListView } from "./list-view.ts";
import { Marks } from "./marks.ts";
import type { ShownSession } from "./model/view.ts";
import { Mouse } from "./mouse.ts";
import { Palette } from "./palette.ts";
import { Preview } from "./preview.ts";
import { QueryActions } from "./query-actions.ts";
import { ReaderView } from "./reader-view.ts";
import { ResultList } from "./result-list.ts";
import { SelectedPreview } from "./selected-preview.ts";
import { SessionActions } from "./session-actions.ts";
import { SessionChoice } from "./session-choice.ts";
import { SessionDispatch } from "./session-dispatch.ts";
import { SessionOutput } from "./session-output.ts";
import { ThemeChoice } from "./theme-choice.ts";
import { TreeView } from "./tree.ts";
import { UndoHistory } from "./undo-history.ts";

export type Parts = ReturnType<typeof createParts>;

interface Callbacks {
  /** Runs an action in the current view. */
  perform: (action: ActionId) => void;
  /** Closes the picker with the chosen sessions. */
  choose: (sessions: readonly ShownSession[]) => void;
}

export function createParts(context: PickerContext, { perform, choose }: Callbacks) {
  const { state, views, setQuery } = context;
  const marks = new Marks(state);
  const results = new ResultList(context);
  const queries = new QueryActions(context);
  const preview = new Preview(context);
  const selectedPreview = new SelectedPreview(context, preview);
  const undoable = new UndoHistory();
  const actions = new SessionActions(context, marks, undoable);
  const output = new SessionOutput(context, undoable);
  const themes = new ThemeChoice(context);
  const choice = new SessionChoice(context, { queries, marks, choose });
  const tree = new TreeView(context, {
    label: (session, line) => void actions.label(session, line),
    read: (session, line) => selectedPreview.readAt(session, line),
    undo: () => actions.undo(),
  });
  const onSession = { actions, output, choice, preview, selectedPreview, tree, queries };
  const dispatch = new SessionDispatch(context, onSession);
  const facets = new FacetsView(context);
  const openFacets = () => void facets.open();
  const openTrash = () =>
    void palette.openItems(
      "restore from the trash, last deleted first",
      "sessions in the trash",
      actions.listTrash(),
    );
  const inList = {
    results,
    marks,
    queries,
    actions,
    dispatch,
    selectedPreview,
    themes,
    openFacets,
    openTrash,
  };
  const list = new ListView(context, inList);
  const reader = new ReaderView(context, preview, dispatch);
  const palette = new Palette(context, {
    getItems: () => [...queries.items, ...themes.items],
    removeSearch: (name, onRemoved) => queries.remove(name, onRemoved),
    run: (command) => {
      if ("action" in command) perform(command.action);
      else if ("theme" in command) themes.set(command.theme);
      else if ("restore" in command) actions.restore(command.restore);
      else {
        views.backToList();
        setQuery(command.query);
      }
    },
  });
  const help = new HelpView(context);
  const mouse = new Mouse(context, {
    selectRow: (index) => list.select(index),
    scroll: (by) => (state.help ? help : preview).scroll(by),
  });
  return {
    ...{ marks, results, queries, preview, selectedPreview, choice },
    ...{ list, reader, tree, facets, palette, help, mouse },
  };
}
