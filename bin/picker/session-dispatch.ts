/** Runs actions on the selected session, or on the marked ones. */
import type { PickerContext } from "./context.ts";
import type { ActionId } from "./keys/actions.ts";
import { getSelectedRow } from "./model/state.ts";
import type { ShownSession } from "./model/view.ts";
import type { Preview } from "./preview.ts";
import type { QueryActions } from "./query-actions.ts";
import type { SelectedPreview } from "./selected-preview.ts";
import type { SessionActions } from "./session-actions.ts";
import type { SessionChoice } from "./session-choice.ts";
import type { SessionOutput } from "./session-output.ts";
import type { TreeView } from "./tree.ts";

/** What actions do, by name. */
export type Handlers = Partial<Record<ActionId, () => void>>;

/** Actions that apply to all marked sessions. */
export const ON_SEVERAL: ReadonlySet<ActionId> = new Set([
  ...([
    "pin",
    "archive",
    "compress",
    "tag",
    "delete",
    "copy",
    "copyId",
    "copyPath",
    "exportHtml",
    "exportMarkdown",
  ] as const),
]);

/** Lines by which a key scrolls the preview beside the list. */
const SCROLL_LINES = 3;

interface Parts {
  actions: SessionActions;
  output: SessionOutput;
  choice: SessionChoice;
  preview: Preview;
  selectedPreview: SelectedPreview;
  tree: TreeView;
  queries: QueryActions;
}

export class SessionDispatch {
  readonly #picker: PickerContext;
  readonly #parts: Parts;

  constructor(picker: PickerContext, parts: Parts) {
    this.#picker = picker;
    this.#parts = parts;
  }

  /** Runs an action on sessions. @returns false if it is an action on one session */
  runOnAll(action: ActionId, sessions: readonly ShownSession[]): boolean {
    const { actions, output } = this.#parts;
    const handlers: Handlers = {
      pin: () => actions.pin(sessions),
      archive: () => actions.archive(sessions),
      compress: () => actions.compress(sessions),
      tag: () => actions.tag(sessions),
      delete: () => actions.delete(sessions),
      copy: () => output.copyCommands(sessions),
      copyId: () => output.copyIds(sessions),
      copyPath: () => output.copyPaths(sessions),
      exportHtml: () => output.export(sessions, "html"),
      exportMarkdown: () => output.export(sessions, "md"),
    };
    handlers[action]?.();
    return handlers[action] !== undefined;
  }

  /** Runs an action on a session. */
  run(action: ActionId, session: ShownSession): void {
    const { state, views, query } = this.#picker;
    const { actions, output, choice, preview, selectedPreview, tree, queries } = this.#parts;
    const walk = (by: 1 | -1) => {
      selectedPreview.read(session);
      void preview.goToHit(by);
    };
    const hitLine = getSelectedRow(state)?.hits[0]?.line;
    const line = state.mode === "preview" ? preview.entryLine : undefined;
    const handlers: Handlers = {
      resume: () => choice.resume(session),
      label: () => actions.label(session, state.mode === "preview" ? line : hitLine),
      preview: () => {
        queries.remember(query.text);
        views.open("preview");
        selectedPreview.read(session);
      },
      tree: () => void tree.openView(session, line ?? hitLine),
      previewUp: () => preview.scroll(-SCROLL_LINES),
      previewDown: () => preview.scroll(SCROLL_LINES),
      nextHit: () => walk(1),
      previousHit: () => walk(-1),
      browser: () => output.openInBrowser(session),
      rename: () => actions.rename(session),
      fork: () => actions.fork(session),
      move: () => actions.move(session),
      undo: () => actions.undo(),
      edit: () => output.edit(session),
      copyAnswer: () => output.copyAnswer(session),
      copyHandoff: () => output.copyHandoff(session),
    };
    if (!this.runOnAll(action, [session])) handlers[action]?.();
  }
}
