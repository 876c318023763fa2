/** The facts about a session in its header. On a phone, those beyond the first line are behind a button. */
import { useId, useLayoutEffect, useState } from "preact/hooks";
import { formatBytes } from "../../../format/bytes.ts";
import {
  formatCents,
  formatDollars,
  formatExactDollars,
  formatShortNumber,
} from "../../../format/numbers.ts";
import { formatCount, toOneLine } from "../../../format/safe.ts";
import { formatMoment, formatWhen } from "../../../format/times.ts";
import { folderName, getShortTitle } from "../../../format/titles.ts";
import type { BriefSessionJson } from "../../api/json.ts";
import type { SessionAnswer, SessionLink } from "../../api/session-answers.ts";
import { useSize } from "../charts/use-width.ts";
import { sessionUrl, withParams } from "../shell/address.ts";
import { Menu } from "../shell/menu.tsx";
import { OtherModels } from "./other-models.tsx";
import { ProblemCount } from "./problem-count.tsx";

interface Props {
  about: SessionAnswer;
  /** The session it was forked from, found by shared entries. */
  parent: OtherSession | undefined;
}

export function SessionFacts({ about, parent }: Props) {
  const { session, spend } = about;
  const modified = new Date(session.modified);
  const created = session.created === null ? undefined : new Date(session.created);
  const forkedFrom = about.parent && !("session" in about.parent) && parent ? parent : about.parent;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [isCut, setCut] = useState(false);
  const [list, { width }] = useSize<HTMLUListElement>();
  useLayoutEffect(() => {
    const element = list.current;
    if (element && !isOpen) setCut(element.scrollHeight > element.clientHeight + 4);
  }, [about, width, isOpen]);
  return (
    <div class="session-facts-line">
      <ul
        ref={list}
        id={id}
        class={isOpen ? "session-facts session-facts-open" : "session-facts"}
        aria-label="About this session"
      >
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
        {(["pinned", "archived", "compressed"] as const).map(
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
      {(isCut || isOpen) && (
        <button
          type="button"
          class="button button-plain facts-button"
          aria-label={isOpen ? "Show fewer facts" : "Show all facts"}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "▴" : "▾"}
        </button>
      )}
    </div>
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
export type OtherSession = { session: BriefSessionJson } | { path: string };

function Other({ link }: { link: OtherSession }) {
  if (!("session" in link)) return <span title={toOneLine(link.path)}>a deleted session</span>;
  return (
    <a href={sessionUrl(link.session.path)}>
      <bdi>{getShortTitle(link.session, 60)}</bdi>
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
                <bdi>{getShortTitle(link.session, 80)}</bdi>{" "}
                <span class="quiet">{formatDollars(link.costUsd)}</span>
              </a>
            </li>
          ))
        }
      </Menu>
    </li>
  );
}
