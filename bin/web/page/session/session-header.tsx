/** The header above a transcript: title, actions and metadata. */
import { toOneLine } from "../../../format/safe.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import type { SessionAnswer } from "../../api/session-answers.ts";
import { ActionBar } from "../shell/action-bar.tsx";
import { ActionMessage } from "../shell/action-message.tsx";
import { copyResumeCommand, explainCertainFailure, explainNoResume } from "../shell/copy-text.ts";
import { hub } from "../shell/source.ts";
import { BackLink, type WayBack } from "./back-link.tsx";
import { MoreActions } from "./more-actions.tsx";
import { type OtherSession, SessionFacts } from "./session-facts.tsx";
import { Title } from "./title.tsx";
import type { SessionActions } from "./use-session-actions.ts";

interface Props {
  about: SessionAnswer;
  acts: SessionActions;
  /** The session it was forked from, found by shared entries, which works even after files were moved. */
  parent: OtherSession | undefined;
  /** An entry in the address that does not exist. */
  unknown: string | undefined;
  /** The way back to the list. */
  way: WayBack;
  onTree: () => void;
  onPrint: () => void;
  isExpanded: boolean;
  onExpand: () => void;
}

export function SessionHeader({ about, acts, parent, unknown, way, ...props }: Props) {
  const { onTree, onPrint, isExpanded, onExpand } = props;
  const { session } = about;
  return (
    <header class="session-header">
      <div class="session-top">
        <BackLink way={way} />
        <Title
          title={getSessionTitle(session)}
          name={session.name ?? ""}
          onRename={hub.value === undefined ? acts.rename : undefined}
        />
        <div class="session-acts">
          <button type="button" class="button tree-button" onClick={onTree}>
            Tree
          </button>
          {about.resume && <CopyResume resume={about.resume} onDone={acts.say} />}
          <MoreActions
            {...{ about, acts, onPrint }}
            narrow={[
              { label: "Tree", action: onTree },
              { label: isExpanded ? "Collapse all" : "Expand all", action: onExpand },
            ]}
          />
        </div>
      </div>
      <SessionFacts about={about} parent={parent} />
      {unknown !== undefined && (
        <p class="session-note" role="status">
          Entry <bdi>{toOneLine(unknown).slice(0, 80)}</bdi> not found. Showing the{" "}
          {about.secondsSinceWritten === undefined ? "beginning" : "end"} of the session.
        </p>
      )}
      {(acts.done !== "" || acts.error !== undefined) && (
        <ActionBar label="Last action">
          <div class="bulk-row card">
            <ActionMessage {...acts} onClose={acts.dismiss} />
          </div>
        </ActionBar>
      )}
    </header>
  );
}

/**
 * Copies the command that resumes the session. It looks disabled, and its tooltip says why, if the command would fail; it keeps the
 * focus and a click then, which says it where there are no tooltips.
 */
function CopyResume({ resume, onDone }: CopyResumeProps) {
  const failure = explainCertainFailure(resume);
  const title = failure ?? [toOneLine(resume.line), explainNoResume(resume)].filter(Boolean).join("\n");
  return (
    <button
      type="button"
      class="button"
      title={title}
      aria-disabled={failure !== undefined}
      onClick={() => void copyResumeCommand(resume).then(onDone)}
    >
      Copy resume command
    </button>
  );
}

interface CopyResumeProps {
  resume: NonNullable<SessionAnswer["resume"]>;
  onDone: (message: string) => void;
}
