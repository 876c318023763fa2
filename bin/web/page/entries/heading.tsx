/** The heading of an entry: author, model, cost and time. */
import { useContext } from "preact/hooks";
import type { Usage } from "../../../../library/index.ts";
import { formatDollars, formatShortNumber } from "../../../format/numbers.ts";
import type { Heading } from "../../../format/parts.ts";
import { formatCount, toOneLine } from "../../../format/safe.ts";
import { formatDayTime } from "../../../format/times.ts";
import { DisplayContext } from "./display-options.ts";

// A map, because a role may have the name of an object property such as "constructor".
const NAMES: ReadonlyMap<string, string> = new Map([
  ["user", "You"],
  ["assistant", "Assistant"],
  ["bash", "Shell"],
]);

/** The model responses between two prompts, and what they cost. */
export interface AnswerSum {
  responses: number;
  costUsd: number;
}

interface Props {
  heading: Heading;
  failed: string | undefined;
  /** The answer that it heads. */
  answer?: AnswerSum | undefined;
}

export function EntryHeading({ heading, failed, answer }: Props) {
  const { links } = useContext(DisplayContext);
  const { who, facts, usage, id, time } = heading;
  const name = toOneLine(who.slice(0, 200));
  const address = id == null ? undefined : links.entry(id);
  return (
    <header class="entry-heading">
      <h2>
        {NAMES.get(who) ?? name.slice(0, 1).toUpperCase() + name.slice(1)}
        {failed && <span class="entry-failed"> {failed}</span>}
      </h2>
      <p class="entry-facts">
        {facts.map((fact) => (
          <span key={fact} class="entry-model">
            {toOneLine(fact.slice(0, 200))}
          </span>
        ))}
        {answer && answer.responses > 1 ? <AnswerFacts answer={answer} /> : usage && <Spent usage={usage} />}
        <Moment {...{ time, address }} />
      </p>
    </header>
  );
}

/** The number of responses of an answer, and their cost. */
export function AnswerFacts({ answer }: { answer: AnswerSum }) {
  return (
    <>
      <span title="Model responses in this answer. Point at one to see its own cost and tokens.">
        {formatCount(answer.responses, "response")}
      </span>
      {answer.costUsd > 0 && (
        <span title="Cost of these responses, as recorded by the agent">{formatDollars(answer.costUsd)}</span>
      )}
    </>
  );
}

/** The time of an entry, as a link to the entry if it has an address. */
function Moment({ time, address }: { time: Date; address: string | undefined }) {
  const isKnown = !Number.isNaN(time.getTime());
  const words = isKnown ? <time dateTime={time.toISOString()}>{formatDayTime(time)}</time> : "no time";
  if (address === undefined) return isKnown ? words : null;
  return <a href={address}>{words}</a>;
}

/** Cost and tokens as pi recorded them, if not zero. */
function Spent({ usage }: { usage: Usage }) {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cost } = usage;
  const read = input + cacheRead + cacheWrite;
  const total = (typeof cost === "number" ? cost : cost?.total) ?? 0;
  const parts = [
    `${formatShortNumber(input)} input`,
    `${formatShortNumber(cacheRead)} cache read`,
    `${formatShortNumber(cacheWrite)} cache write`,
    `${formatShortNumber(output)} output`,
  ];
  return (
    <>
      {total > 0 && <span title="Cost recorded by the agent">{formatDollars(total)}</span>}
      {read + output > 0 && (
        <span title={`Tokens: ${parts.join(", ")}`}>
          {formatShortNumber(read)} in, {formatShortNumber(output)} out
        </span>
      )}
    </>
  );
}
