/** What a session is, above its transcript, and what can be done with it. */
import { useState } from "preact/hooks";
import { bytes } from "../../../format/bytes.ts";
import { dollars, shortNumber } from "../../../format/numbers.ts";
import { counted, oneLine } from "../../../format/safe.ts";
import { ago, dayAndTime } from "../../../format/times.ts";
import { folderName, titleOf } from "../../../format/titles.ts";
import type { BriefSessionJson } from "../../api/answers.ts";
import type { SessionAnswer, SessionLink } from "../../api/session-answers.ts";
import { sessionAddress } from "../shell/address.ts";
import { Trouble } from "../shell/trouble.tsx";
import { Dialog } from "./dialog.tsx";
import { MoreActs } from "./more-acts.tsx";
import { Title } from "./title.tsx";
import type { Acts } from "./use-acts.ts";

interface Props {
  about: SessionAnswer;
  acts: Acts;
  /** What it was forked from, by the entries that both hold: known also where files were moved since. */
  parent: Other | undefined;
  /** An entry that the address names, and that there is not. */
  unknown: string | undefined;
  onTree: () => void;
}

export function SessionHeader({ about, acts, parent, unknown, onTree }: Props) {
  const { session, spend } = about;
  const modified = new Date(session.modified);
  const created = session.created === null ? undefined : new Date(session.created);
  const all = spend.ownUsd + spend.subagentsUsd;
  return (
    <header class="session-header">
      <div class="session-top">
        <Title title={titleOf(session)} name={session.name ?? ""} onRename={acts.rename} />
        <div class="session-acts">
          <button type="button" class="button tree-button" onClick={onTree}>
            Tree
          </button>
          <CopyResume about={about} />
          <MoreActs {...{ about, acts }} />
        </div>
      </div>
      <ul class="session-facts" aria-label="About this session">
        {session.cwd !== "" && (
          <li>
            <bdi class="session-project" title={oneLine(session.cwd)}>
              {folderName(session.cwd)}
            </bdi>
          </li>
        )}
        <li title={created && `Begun ${dayAndTime(created)}, last active ${dayAndTime(modified)}`}>
          <time dateTime={session.modified}>{ago(modified)}</time>
        </li>
        {about.secondsSinceWritten !== undefined && (
          <li>
            <span class="chip chip-live">an agent may be at work</span>
          </li>
        )}
        {session.model && (
          <li>
            <bdi>{oneLine(session.model)}</bdi>
          </li>
        )}
        <li title={`${counted(session.entryCount, "entry", "entries")}, ${bytes(session.size)}`}>
          {counted(session.messageCount, "message")}
        </li>
        <li title={`${shortNumber(spend.tokens)} tokens of its own`}>
          {dollars(all)}
          {spend.subagentsUsd > 0 && <span class="quiet"> · {dollars(spend.subagentsUsd)} by subagents</span>}
          {spend.inheritedUsd > 0 && <span class="quiet"> · {dollars(spend.inheritedUsd)} inherited</span>}
        </li>
        {session.pinned && (
          <li>
            <span class="chip">pinned</span>
          </li>
        )}
        {session.archived && (
          <li>
            <span class="chip">archived</span>
          </li>
        )}
        {session.tags.map((tag) => (
          <li key={tag}>
            <bdi class="chip chip-tag">{oneLine(tag)}</bdi>
          </li>
        ))}
        <Family about={about} known={parent} />
        {about.problems.count > 0 && (
          <li>
            <a class="chip chip-bad" href="/health">
              {counted(about.problems.count, "problem")}
            </a>
          </li>
        )}
      </ul>
      <p class="unseen" role="status">
        {acts.done}
      </p>
      {unknown !== undefined && (
        <p class="session-note" role="status">
          It has no entry <bdi>{oneLine(unknown).slice(0, 80)}</bdi>: this is its end.
        </p>
      )}
      {acts.error !== undefined && <Trouble error={acts.error} />}
    </header>
  );
}

/** Where a session comes from, and what came of it. */
function Family({ about, known }: { about: SessionAnswer; known: Props["parent"] }) {
  const { starter, forks, subagents } = about;
  const parent = about.parent && !("session" in about.parent) && known ? known : about.parent;
  return (
    <>
      {parent && (
        <li>
          fork of <Other one={parent} />
        </li>
      )}
      {starter && (
        <li>
          started by <Other one={starter} />
        </li>
      )}
      <Others kind="fork" all={forks} />
      <Others kind="subagent" all={subagents} />
    </>
  );
}

/** Another session, as far as a link to it needs. */
type Other = { session: BriefSessionJson } | { path: string };

function Other({ one }: { one: Other }) {
  if (!("session" in one)) return <span title={oneLine(one.path)}>a session that is gone</span>;
  return (
    <a href={sessionAddress(one.session.path)}>
      <bdi>{titleOf(one.session).slice(0, 60)}</bdi>
    </a>
  );
}

function Others({ kind, all }: { kind: string; all: readonly SessionLink[] }) {
  if (all.length === 0) return null;
  return (
    <li>
      <details class="menu">
        <summary>{counted(all.length, kind)}</summary>
        <ul class="menu-list card">
          {all.map((one) => (
            <li key={one.session.path}>
              <a href={sessionAddress(one.session.path)}>
                <bdi>{titleOf(one.session).slice(0, 80)}</bdi>{" "}
                <span class="quiet">{dollars(one.costUsd)}</span>
              </a>
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}

/** Copies the command that goes on with the session. */
function CopyResume({ about: { resume } }: { about: SessionAnswer }) {
  const [isCopied, setCopied] = useState(false);
  const [isShown, setShown] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(resume.line);
      setCopied(true);
    } catch {
      setShown(true); // the browser does not let us: it can be copied by hand
    }
  };
  return (
    <>
      <button
        type="button"
        class="button"
        title={
          resume.whyNot
            ? `${oneLine(resume.line)}\nNot here: ${oneLine(resume.whyNot)}`
            : oneLine(resume.line)
        }
        onClick={copy}
      >
        <span aria-live="polite">{isCopied ? "Copied" : "Resume"}</span>
        <span class="unseen">: copy the command</span>
      </button>
      {isShown && (
        <Dialog title="Resume in a terminal" onClose={() => setShown(false)}>
          <pre class="dialog-code">{oneLine(resume.line)}</pre>
        </Dialog>
      )}
    </>
  );
}
