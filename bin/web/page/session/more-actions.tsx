import { useState } from "preact/hooks";
import { formatCount } from "../../../format/safe.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import type { SessionAnswer } from "../../api/session-answers.ts";
import { toUrlName, useParams } from "../shell/address.ts";
import { TextDialog } from "../shell/dialog.tsx";
import { ExportDialog, type ExportSource } from "../shell/export-dialog.tsx";
import { Menu } from "../shell/menu.tsx";
import { hub } from "../shell/source.ts";
import { TrashDialog } from "../shell/trash-dialog.tsx";
import type { SessionActions } from "./use-session-actions.ts";

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
  const [dialog, setDialog] = useState<"rename" | "tags" | "export" | "trash">();
  return (
    <>
      <Menu class="button" label="More" summary="⋯" listClass="menu-right">
        {(close) => {
          const entry = (label: string, action: () => unknown, kind = "") => (
            <li key={label} class={kind === "narrow" ? "menu-narrow" : undefined}>
              <button
                type="button"
                class={`menu-entry ${kind === "narrow" ? "" : kind}`}
                onClick={() => {
                  close();
                  void action();
                }}
              >
                {label}
              </button>
            </li>
          );
          const isOwn = hub.value === undefined;
          return (
            <>
              {narrow.map(({ label, action }) => entry(label, action, "narrow"))}
              {isOwn && entry("Rename…", () => setDialog("rename"))}
              {isOwn && entry(session.pinned ? "Unpin" : "Pin", () => acts.pin(!session.pinned))}
              {isOwn &&
                entry(session.archived ? "Unarchive" : "Archive", () => acts.archive(!session.archived))}
              {isOwn && entry("Tags…", () => setDialog("tags"))}
              {entry("Export…", () => setDialog("export"))}
              {entry("Print…", onPrint)}
              {isOwn && entry("Move to trash…", () => setDialog("trash"), "menu-bad")}
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
        <TextDialog
          title="Tags"
          label="Tags of this session"
          hint="Separated by commas. Leave empty to remove all tags."
          value={session.tags.join(", ")}
          onDone={(text) => acts.tag(text.split(/\s*,\s*/).flatMap((tag) => tag.trim() || []))}
          onClose={() => setDialog(undefined)}
        />
      )}
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
            {about.subagents.length > 0 && "; subagent sessions in its folder are moved too"}. Its forks are
            not affected.
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
