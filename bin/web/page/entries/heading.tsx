/** Who, when, by which model, and what it cost. */
import { useContext } from "preact/hooks";
import type { Entry, Usage } from "../../../../library/index.ts";
import { messageFacts, voiceOf } from "../../../format/entry-words.ts";
import { dollars, shortNumber } from "../../../format/numbers.ts";
import { oneLine } from "../../../format/safe.ts";
import { dayAndTime } from "../../../format/times.ts";
import { ShowingContext } from "./showing.ts";

// A map: a role may be called as what every object has.
const NAMES: ReadonlyMap<string, string> = new Map([
  ["user", "You"],
  ["assistant", "Assistant"],
  ["bash", "Shell"],
]);

export function Heading({ entry, failed }: { entry: Entry; failed?: string | undefined }) {
  const { links } = useContext(ShowingContext);
  const { who } = voiceOf(entry);
  const usage = usageOf(entry);
  const address = entry.id == null ? undefined : links.entry(entry.id);
  return (
    <header class="entry-heading">
      <h2>
        {NAMES.get(who) ?? sentence(oneLine(who.slice(0, 200)))}
        {failed && <span class="entry-failed"> {failed}</span>}
      </h2>
      <p class="entry-facts">
        {messageFacts(entry).map((fact) => (
          <span key={fact} class="entry-model">
            {oneLine(fact.slice(0, 200))}
          </span>
        ))}
        {usage && <Spent usage={usage} />}
        <Moment timestamp={entry.timestamp} {...{ address }} />
      </p>
    </header>
  );
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** When it was; a link to itself where an entry has an address. */
function Moment({ timestamp, address }: { timestamp: string | undefined; address: string | undefined }) {
  const date = new Date(timestamp ?? Number.NaN);
  const isKnown = !Number.isNaN(date.getTime());
  const words = isKnown ? <time dateTime={date.toISOString()}>{dayAndTime(date)}</time> : "no time";
  if (address === undefined) return isKnown ? words : null;
  return <a href={address}>{words}</a>;
}

function usageOf(entry: Entry): Usage | undefined {
  if (entry.type !== "message") return ("usage" in entry && (entry.usage as Usage | null)) || undefined;
  const { message } = entry;
  return (message && "usage" in message && (message.usage as Usage | null)) || undefined;
}

/** What pi wrote down that it cost: an answer that cost nothing says nothing of that. */
function Spent({ usage }: { usage: Usage }) {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cost } = usage;
  const read = input + cacheRead + cacheWrite;
  const total = (typeof cost === "number" ? cost : cost?.total) ?? 0;
  const parts = [
    `${shortNumber(input)} input`,
    `${shortNumber(cacheRead)} from the cache`,
    `${shortNumber(cacheWrite)} into the cache`,
    `${shortNumber(output)} output`,
  ];
  return (
    <>
      {total > 0 && <span title="What pi wrote down that it cost">{dollars(total)}</span>}
      {read + output > 0 && (
        <span title={`Tokens: ${parts.join(", ")}`}>
          {shortNumber(read)} in, {shortNumber(output)} out
        </span>
      )}
    </>
  );
}
