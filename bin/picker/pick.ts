/** Opens the picker: what is seen first is drawn before the rest is loaded. */

import type { IndexPlace } from "../actions/synced.ts";
import { themeOf } from "../format/theme.ts";
import { EarlyKeys, NOTHING_CHOSEN } from "./early-keys.ts";
import { drawFirst, enter, firstState, LEAVE } from "./first-frame.ts";
import { beginning } from "./model/state.ts";
import type { View } from "./model/view.ts";
import type { Ending } from "./picker.ts";
import type { ShowOnPage } from "./session-acts.ts";
import { readSettings, type Settings } from "./settings.ts";
import { takeTerminal } from "./tty.ts";

export interface PickOptions extends IndexPlace {
  /** What stands in the line at the beginning. */
  query: string;
  /** Which sessions are listed first: those of the folder, or all; undefined for what the settings say. */
  scope: Settings["scope"] | undefined;
  /** Whether what is chosen is handed to a script: then nothing has to be there to resume it. */
  prints: boolean;
  /** Opens a session in the browser. */
  showOnPage: ShowOnPage;
}

/**
 * Shows the picker on the process's terminal until a session is chosen or it is left, and leaves the terminal as it was.
 *
 * @throws PidexError `BAD_OPTION` where there is no terminal that can show it; as `openIndex`
 */
export async function pick({ query, scope, prints, showOnPage, ...place }: PickOptions): Promise<Ending> {
  const { env } = process;
  const { settings, complaints, path: settingsPath } = await readSettings(env);
  const giveBack = takeTerminal(env);
  const leave = () => {
    process.stdin.setRawMode?.(false);
    process.stdout.write(LEAVE);
  };
  let earlyKeys: EarlyKeys | undefined;
  try {
    const theme = themeOf(env);
    const write = (text: string) => void process.stdout.write(text);
    const size = { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
    const cwd = process.cwd();
    const view: View = {
      query,
      cwd: (scope ?? settings.scope) === "folder" ? cwd : undefined,
      sort: settings.sort,
      named: false,
      archived: settings.archived,
      subagents: settings.subagents,
    };
    process.stdin.setRawMode?.(true); // first of all: what is typed from here on is kept for the picker, and not echoed
    earlyKeys = new EarlyKeys(() => {
      leave();
      giveBack();
      process.exit(NOTHING_CHOSEN); // opening the index may wait for another process, and cannot be broken off
    });
    enter(write);
    drawFirst(beginning(view), size, theme, settings.preview, write);
    const notices = [...complaints];
    const state = await firstState(place, view, size.rows, (notice) => notices.push(notice));
    drawFirst(state, size, theme, settings.preview, write);
    const [{ Picker }, { openAsker }, { KeepingUp }, { Keys }] = await Promise.all([
      import("./picker.ts"),
      import("./asker.ts"),
      import("./keeping-up.ts"),
      import("./keys/keys.ts"),
    ]);
    const asker = openAsker(place, (notice) => picker.synced({ notice }));
    void asker.begin().catch(() => {}); // it loads while the picker is made
    const keys = new Keys(settings.keys);
    const picker = new Picker({
      state,
      asker,
      keys,
      theme,
      settings,
      settingsPath,
      cwd,
      env,
      prints,
      showOnPage,
      notices,
    });
    earlyKeys.end();
    const ending = picker.run(); // asks for the list, and then what is new is looked for
    const keepingUp = new KeepingUp(place, asker, (told) => picker.synced(told));
    picker.onPress = () => keepingUp.pressed();
    try {
      return await ending;
    } finally {
      await Promise.all([asker.close(), keepingUp.close()]);
    }
  } catch (error) {
    earlyKeys?.end();
    leave();
    throw error;
  } finally {
    giveBack();
  }
}
