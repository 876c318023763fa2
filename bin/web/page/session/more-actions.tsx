import { useState } from "preact/hooks";
import { formatCount } from "../../../format/safe.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import type { SessionAnswer } from "../../api/session-answers.ts";
import { toUrlName, useParams } from "../shell/address.ts";
import {
  type Actions,
  type CommandId,
  getCommand,
  getKey,
  toAction,
  useCommands,
  withSubject,
} from "../shell/commands.ts";
import { copyResumeCommand, copyText, explainCertainFailure } from "../shell/copy-text.ts";
import { TextDialog } from "../shell/dialog.tsx";
import { ExportDialog, type ExportSource } from "../shell/export-dialog.tsx";
import { Menu } from "../shell/menu.tsx";
import { hub } from "../shell/source.ts";
import { TagDialog } from "../shell/tag-dialog.tsx";
import { TrashDialog } from "../shell/trash-dialog.tsx";
import { CommitsDialog } from "./commits-dialog.tsx";
import type { SessionActions } from "./use-session-actions.ts";

/** The entries of the menu, in their order. */
const MENU = [
  "rename",
  "pin",
  "archive",
  "tag",
  "copyId",
  "copyPath",
  "copyHandoff",
  "commits",
  "export",
  "print",
  "compress",
  "trash",
] as const satisfies readonly CommandId[];

interface Props {
  about: SessionAnswer;
  acts: SessionActions;
  onPrint: () => void;
  /** Actions that have buttons of their own where there is room for them. */
  narrow: readonly { label: string; action: () => unknown }[];
}

/** The menu with further actions on a session. */
export function MoreActions({ about, acts, onPrint, narrow }: Props) {
  const { session } = about;
  const [{ leaf = "" }] = useParams();
  const [dialog, setDialog] = useState<"rename" | "tags" | "commits" | "export" | "trash">();
  const isOwn = hub.value === undefined;
  const copy = (text: string, what: string) => void copyText(text, what).then(acts.say);
  const { resume } = about;
  const copyResume = () => resume && copyResumeCommand(resume).then(acts.say);
  const canResume = resume !== undefined && explainCertainFailure(resume) === undefined;
  const actions: Actions = {
    ...(isOwn && {
      rename: () => setDialog("rename"),
      pin: { name: session.pinned ? "Unpin" : "Pin", run: () => void acts.pin(!session.pinned) },
      archive: {
        name: session.archived ? "Unarchive" : "Archive",
        run: () => void acts.archive(!session.archived),
      },
      tag: () => setDialog("tags"),
      compress: {
        name: session.compressed ? "Decompress" : "Compress",
        run: () => void acts.compress(!session.compressed),
      },
      trash: () => setDialog("trash"),
      commits: () => setDialog("commits"),
      undo: acts.undo,
    }),
    export: () => setDialog("export"),
    copyResume: resume && {
      run: copyResume,
      ...(!canResume && { name: `${getCommand("session", "copyResume").name} (cannot resume here)` }),
    },
    copyId: () => copy(session.id, "the session id"),
    copyPath: () => copy(session.path, "the path"),
    copyHandoff: () => void acts.copyHandoff(leaf),
  };
  useCommands("session", () => withSubject(getSessionTitle(session).slice(0, 80), actions));
  return (
    <>
      <Menu class="button" label="More" summary="⋯" listClass="menu-right">
        {(close) => {
          const entry = (
            label: string,
            run: () => unknown,
            look = "",
            key?: string,
            isDisabled?: boolean,
          ) => (
            <li key={label} class={look === "menu-narrow" ? look : undefined}>
              <button
                type="button"
                data-key={key}
                class={`menu-entry ${look === "menu-bad" ? look : ""}`}
                aria-disabled={isDisabled}
                onClick={() => {
                  close();
                  void run();
                }}
              >
                {label}
              </button>
            </li>
          );
          return (
            <>
              {narrow.map(({ label, action }) => entry(label, action, "menu-narrow"))}
              {resume && entry("Copy the resume command", copyResume, "menu-narrow", undefined, !canResume)}
              {MENU.map((id) => {
                const action = id === "print" ? onPrint : actions[id];
                if (!action) return null;
                const { name = getCommand("session", id).name, run } = toAction(action);
                const key = getKey("session", id) || undefined;
                return entry(name, run, id === "trash" ? "menu-bad" : "", key);
              })}
            </>
          );
        }}
      </Menu>
      {dialog === "rename" && (
        <TextDialog
          title="Rename"
          label="Name of this session"
          hint="Leave empty to remove the name."
          value={session.name ?? ""}
          onDone={acts.rename}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === "tags" && (
        <TagDialog tags={[session.tags]} onSave={acts.tag} onClose={() => setDialog(undefined)} />
      )}
      {dialog === "commits" && <CommitsDialog session={session} onClose={() => setDialog(undefined)} />}
      {dialog === "export" && (
        <ExportDialog sources={toExportSources(about, leaf)} onClose={() => setDialog(undefined)} />
      )}
      {dialog === "trash" && (
        <TrashDialog what="this session" onMove={acts.trash} onClose={() => setDialog(undefined)}>
          <p class="dialog-text" dir="auto">
            {getSessionTitle(session).slice(0, 200)}
          </p>
          <p class="quiet dialog-hint">
            {formatCount(session.messageCount, "message")}
            {about.subagents.length > 0 && "; subagent sessions in its folder are moved too"}.
            {about.forks.length > 0 && " Its forks are not affected."}
          </p>
        </TrashDialog>
      )}
    </>
  );
}

/** @param leaf the last entry of the displayed branch, if it is not the current one */
function toExportSources(
  { session, subagents }: SessionAnswer,
  leaf: string,
): [ExportSource, ...ExportSource[]] {
  const subject = "this session";
  const params = { session: session.path };
  const sources: ExportSource[] = [
    { id: "branch", label: "The current branch", subject, params },
    {
      id: "all",
      label: "All branches",
      hint: `The whole tree: ${formatCount(session.entryCount, "entry", "entries")}.`,
      subject,
      params: { ...params, all: true },
    },
  ];
  if (subagents.length > 0) {
    sources.push({
      id: "subagents",
      label: `This session and ${formatCount(subagents.length, "subagent session")}`,
      subject: formatCount(subagents.length + 1, "session"),
      params: { session: [session.path, ...subagents.map((each) => toUrlName(each.session))] },
      hasBranches: true,
    });
  }
  const [current, ...others] = sources as [ExportSource, ...ExportSource[]];
  if (leaf === "") return [current, ...others];
  return [
    { id: "leaf", label: "The displayed branch", subject, params: { ...params, leaf } },
    current,
    ...others,
  ];
}
