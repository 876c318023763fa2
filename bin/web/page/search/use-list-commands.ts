/** Commands on sessions of the list: on those selected, or else on that with the focus. */
import { formatCount } from "../../../format/safe.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import type { SessionJson } from "../../api/json.ts";
import { apiGet } from "../shell/api.ts";
import { useCommands, withSubject } from "../shell/commands.ts";
import { copyResumeCommand, copyText } from "../shell/copy-text.ts";
import { hub } from "../shell/source.ts";
import type { ListDialog } from "./list-dialogs.tsx";
import type { BulkActions } from "./use-bulk-actions.ts";

interface Options {
  list: { readonly current: HTMLElement | null };
  /** The sessions of the rows, in their order. */
  sessions: readonly SessionJson[];
  selected: readonly SessionJson[];
  acts: BulkActions;
  onDialog: (dialog: ListDialog) => void;
  onSelect: (paths: readonly string[]) => void;
}

export function useListCommands({ list, sessions, selected, acts, onDialog, onSelect }: Options): void {
  useCommands("sessions", () => {
    const row = document.activeElement?.closest<HTMLElement>(".result");
    const rows = row && list.current?.contains(row) ? [...list.current.querySelectorAll(".result")] : [];
    const focused = row ? sessions[rows.indexOf(row)] : undefined;
    const [first, ...others] = selected.length > 0 ? selected : focused ? [focused] : [];
    const isOwn = hub.value === undefined;
    const undo = isOwn && acts.undo && !acts.isRunning ? { undo: acts.undo } : {};
    const all = {
      ...undo,
      ...(isOwn && sessions.length > 0 && { selectAll: () => onSelect(sessions.map(({ path }) => path)) }),
      clearSelection:
        selected.length > 0 ? () => onSelect([]) : acts.done !== "" ? () => acts.dismiss() : undefined,
    };
    if (!first) return all;
    const targets: ListDialog["sessions"] = [first, ...others];
    const { id, path } = first;
    const isOne = others.length === 0;
    const copy = (text: string, what: string) => void copyText(text, what).then(acts.say);
    const subject = isOne
      ? getSessionTitle(first).slice(0, 80)
      : `${formatCount(targets.length, "session")} selected`;
    const ofTargets = withSubject(subject, {
      ...(isOne && {
        open: () => row?.querySelector<HTMLElement>("a.result-title")?.click(),
        copyResume: async () => {
          const { resume } = await apiGet("session", { session: path });
          acts.say(resume ? await copyResumeCommand(resume) : "This session has no resume command.");
        },
        copyId: () => copy(id, "the session id"),
        copyPath: () => copy(path, "the path"),
      }),
      ...(isOwn &&
        !acts.isRunning && {
          pin: {
            name: targets.every((each) => each.pinned) ? "Unpin" : "Pin",
            run: () => void acts.pin(targets),
          },
          archive: {
            name: targets.every((each) => each.archived) ? "Unarchive" : "Archive",
            run: () => void acts.archive(targets),
          },
          compress: {
            name: targets.every((each) => each.compressed) ? "Decompress" : "Compress",
            run: () => void acts.compress(targets),
          },
          tag: () => onDialog({ kind: "tag", sessions: targets }),
          trash: () => onDialog({ kind: "trash", sessions: targets }),
          ...(isOne && { rename: () => onDialog({ kind: "rename", sessions: targets }) }),
        }),
      export: () => onDialog({ kind: "export", sessions: targets }),
    });
    return { ...all, ...ofTargets };
  });
}
