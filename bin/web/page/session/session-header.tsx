/** The header above a transcript: title, actions and metadata. */
import { formatBytes } from "../../../format/bytes.ts";
import {
  formatCents,
  formatDollars,
  formatExactDollars,
  formatShortNumber,
} from "../../../format/numbers.ts";
import { formatCount, toOneLine } from "../../../format/safe.ts";
import { formatMoment, formatWhen } from "../../../format/times.ts";
import { folderName, getSessionTitle } from "../../../format/titles.ts";
import type { BriefSessionJson } from "../../api/json.ts";
import type { SessionAnswer, SessionLink } from "../../api/session-answers.ts";
import { ActionBar } from "../shell/action-bar.tsx";
import { ActionMessage } from "../shell/action-message.tsx";
import { sessionUrl, withParams } from "../shell/address.ts";
import { copyResumeCommand, explainCertainFailure, explainNoResume } from "../shell/copy-text.ts";
import { Menu } from "../shell/menu.tsx";
import { hub } from "../shell/source.ts";
import { BackLink, type WayBack } from "./back-link.tsx";
import { MoreActions } from "./more-actions.tsx";
import { OtherModels } from "./other-models.tsx";
import { ProblemCount } from "./problem-count.tsx";
import { Title } from "./title.tsx";
import type { SessionActions } from "./use-session-actions.ts";

interface Props {
  about: SessionAnswer;
  acts: SessionActions;
  /** The session it was forked from, found by shared entries, which works even after files were moved. */
  parent: Other | undefined;
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
  const { session, spend } = about;
  const modified = new Date(session.modified);
  const created = session.created === null ? undefined : new Date(session.created);
  const forkedFrom = about.parent && !("session" in about.parent) && parent ? parent : about.parent;
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
      <ul class="session-facts" aria-label="About this session">
        {session.cwd !== "" && (
          <li>
            <FilterLink
              class="session-project"
              title={`Sessions of ${toOneLine(session.cwd)}`}
              filter={{ cwd: session.cwd }}
            >
              {folderName(session.cwd)}
            </FilterLink>
          </li>
        )}
        {session.machine !== undefined && (
          <li title={session.person && `Machine of ${toOneLine(session.person)}`}>
            <bdi>{toOneLine(session.machine)}</bdi>
          </li>
        )}
        {/* A fork may be newer than all that it has copied so far. */}
        {created && created <= modified && (
          <li title={`Created ${formatMoment(created)}`}>
            started <time dateTime={created.toISOString()}>{formatWhen(created)}</time>
          </li>
        )}
        <li title={`Last active ${formatMoment(modified)}`}>
          updated <time dateTime={session.modified}>{formatWhen(modified)}</time>
        </li>
        {about.secondsSinceWritten !== undefined && (
          <li>
            <span class="chip chip-live">an agent may be running</span>
          </li>
        )}
        <li
          title={`Prompts, responses and tool results. ${formatCount(session.entryCount, "entry", "entries")} in all, ${formatBytes(session.size)}`}
        >
          {formatCount(session.messageCount, "message")}
        </li>
        <li title={describeSpend(spend)}>
          {spend.ownUsd === 0 && spend.tokens > 0 ? "no cost recorded" : formatCents(spend.ownUsd)}
          {spend.subagentsUsd > 0 && (
            <span class="quiet"> + {formatCents(spend.subagentsUsd)} by subagents</span>
          )}
          {spend.inheritedUsd > 0 && (
            <span class="quiet"> · {formatCents(spend.inheritedUsd)} inherited</span>
          )}
        </li>
        {session.model && (
          <li>
            <FilterLink
              title={`Sessions with ${toOneLine(session.model)}`}
              filter={{ model: [session.provider, session.model].filter(Boolean).join("/") }}
            >
              {toOneLine(session.model)}
            </FilterLink>
          </li>
        )}
        {session.model && <OtherModels session={session} />}
        {(["pinned", "archived"] as const).map(
          (state) =>
            session[state] && (
              <li key={state}>
                <span class="chip">{state}</span>
              </li>
            ),
        )}
        {session.tags.map((tag) => (
          <li key={tag}>
            <FilterLink
              class="chip chip-tag"
              title={`Sessions with the tag ${toOneLine(tag)}`}
              filter={{ tags: tag }}
            >
              {toOneLine(tag)}
            </FilterLink>
          </li>
        ))}
        {forkedFrom && (
          <li>
            fork of <Other link={forkedFrom} />
          </li>
        )}
        {about.starter && (
          <li>
            started by <Other link={about.starter} />
          </li>
        )}
        <Others kind="fork" all={about.forks} />
        <Others kind="subagent" all={about.subagents} />
        {about.problems.count > 0 && (
          <li>
            <ProblemCount class="chip chip-bad" count={about.problems.count} />
          </li>
        )}
      </ul>
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

/** The exact costs, which the header shows in the list's precision, and the tokens. */
function describeSpend({ ownUsd, subagentsUsd, inheritedUsd, tokens }: SessionAnswer["spend"]): string {
  const exact = (dollars: number) => `$${formatExactDollars(Math.round(dollars * 1e9))}`;
  const costs = [
    exact(ownUsd),
    subagentsUsd > 0 && `${exact(subagentsUsd)} by subagents`,
    inheritedUsd > 0 && `${exact(inheritedUsd)} inherited`,
  ];
  return `${costs.filter(Boolean).join(", ")}; ${formatShortNumber(tokens)} tokens without subagents`;
}

interface FilterLinkProps {
  class?: string;
  title: string;
  /** Parameters of the list. */
  filter: Record<string, string>;
  children: string;
}

/** A fact that leads to the sessions that share it. */
function FilterLink({ class: look = "", title, filter, children }: FilterLinkProps) {
  return (
    <a class={`fact-link ${look}`} href={withParams("/", filter)} title={title}>
      <bdi>{children}</bdi>
    </a>
  );
}

/** A session to link to. */
type Other = { session: BriefSessionJson } | { path: string };

function Other({ link }: { link: Other }) {
  if (!("session" in link)) return <span title={toOneLine(link.path)}>a deleted session</span>;
  return (
    <a href={sessionUrl(link.session.path)}>
      <bdi>{getSessionTitle(link.session).slice(0, 60)}</bdi>
    </a>
  );
}

function Others({ kind, all }: { kind: string; all: readonly SessionLink[] }) {
  if (all.length === 0) return null;
  return (
    <li>
      <Menu summary={formatCount(all.length, kind)}>
        {() =>
          all.map((link) => (
            <li key={link.session.path}>
              <a href={sessionUrl(link.session.path)}>
                <bdi>{getSessionTitle(link.session).slice(0, 80)}</bdi>{" "}
                <span class="quiet">{formatDollars(link.costUsd)}</span>
              </a>
            </li>
          ))
        }
      </Menu>
    </li>
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
