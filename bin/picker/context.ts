/** What the parts of the picker share. */
import type { HubLocation } from "../actions/index-location.ts";
import type { Theme } from "../format/theme.ts";
import type { PickerClient } from "./client.ts";
import type { KeyBindings } from "./keys/key-bindings.ts";
import type { State } from "./model/state.ts";
import type { ShownSession } from "./model/view.ts";
import type { Prompt } from "./prompt.ts";
import type { Screen, TextLine } from "./screen.ts";
import type { Settings } from "./settings.ts";
import type { ViewTrail } from "./view-trail.ts";

/** Opens a session in the browser. @param onFailed called when the browser fails after it was started @throws PidexError */
export type OpenInBrowser = (session: ShownSession, onFailed: (error: Error) => void) => Promise<void>;

/** Exports a session to a new file with the format of its ending, without blocking this process. @throws PidexError */
export type ExportSession = (path: string, file: string) => Promise<void>;

export interface PickerOptions {
  state: State;
  client: PickerClient;
  keys: KeyBindings;
  theme: Theme;
  settings: Settings;
  /** Path of the settings file, which may not exist. */
  settingsPath: string;
  /** Folder in which the picker was opened. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Whether the selected session is printed instead of resumed. */
  printsSelection: boolean;
  /** The hub that the shown sessions are on; undefined for those on this machine. */
  hub?: HubLocation | undefined;
  showOnPage: OpenInBrowser;
  exportSession: ExportSession;
  /** Messages to show when the picker opens. */
  notices: readonly string[];
}

/** The picker, as seen by its parts. */
export interface PickerContext extends PickerOptions {
  screen: Screen;
  views: ViewTrail;
  /** The line that the query is typed into. */
  query: TextLine;
  /** Runs another query. */
  setQuery: (text: string) => void;
  /** Shows a message until the next key. @param end shown in full after the text, even if the text is cut: "" cuts the text to one line */
  showMessage: (text: string, end?: string) => void;
  showErrorText: (text: string) => void;
  showError: (error: unknown) => void;
  /** Awaits work; shows the error if it fails. */
  showErrors: <T>(work: Promise<T>) => Promise<T | undefined>;
  /** Opens a prompt in the last line. */
  openPrompt: (prompt: Prompt) => void;
  /** Opens a prompt that is still being prepared, unless it turns out not to be needed: keys pressed until then go to the prompt. */
  openPromptWhenReady: (work: Promise<Prompt | undefined>) => Promise<void>;
  /**
   * Keeps keys that are pressed until work is done, for the prompt that it opens. Without one, they are dropped, or if `replays`, handled
   * then as if they were pressed after it.
   */
  holdKeys: (work: Promise<unknown>, options?: { replays?: boolean }) => Promise<void>;
  /** Reloads after a session was changed or deleted. @param select path of the session to select, if it is listed */
  reload: (select?: string) => Promise<void>;
  /** Removes sessions from the list until it is loaded again: a change is about to remove them. */
  hideRows: (paths: readonly string[]) => void;
  /** Called when the rows of the list or the selection changed. */
  onRowsChanged: () => void;
}
