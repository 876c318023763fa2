import { useEffect, useMemo, useState } from "preact/hooks";
import { WEEKDAYS } from "../../../format/weekdays.ts";
import type { Params } from "../shell/address.ts";
import { useAnswer } from "../shell/api.ts";
import { configuredBudget } from "../shell/source.ts";
import { type Row, toHeading } from "./names.ts";
import { shiftRange, toRangeParams } from "./ranges.ts";
import { DIMENSIONS, getLocalTimeZone, MEASURES, PERIODS, RANGES, type UsageState } from "./usage-state.ts";
import { addDays, formatZonedDate } from "./zone-days.ts";

interface Props {
  choice: UsageState;
  /** The values of the breakdown in all time, the costliest first; undefined until they are known. */
  ranked: readonly Row[] | undefined;
  period: string;
  /** The first and last day with usage; undefined until they are known. */
  days: { first: string; last: string } | undefined;
  /** The budget that was typed. */
  budget: string;
  onChange: (changes: Params) => void;
  onBudget: (budget: string) => void;
}

/** The controls for range, measure, breakdown and filters. */
export function Controls({ choice, ranked = [], period, days, budget, onChange, onBudget }: Props) {
  const { range, since, until, measure, by, timeZone, weekStart, project, model } = choice;
  const projects = useNames("project", by === "project" ? ranked : undefined);
  const models = useNames("model", by === "model" ? ranked : undefined);
  const zones = useMemo(
    () => [...new Set([getLocalTimeZone(), "UTC", ...Intl.supportedValuesOf("timeZone")])],
    [],
  );
  const usesMore = hasMore({ ...choice, budget });
  const [isOpen, setOpen] = useState(usesMore);
  useEffect(() => {
    if (usesMore) setOpen(true);
  }, [usesMore]);
  const chooseRange = (each: string) => onChange({ range: each === "30d" ? "" : each, since: "", until: "" });
  const customDay = (name: "since" | "until") => (event: Event & { currentTarget: HTMLInputElement }) => {
    const { value } = event.currentTarget;
    // The field shows the last day; `until` is the day after it.
    const day = name === "until" && value !== "" ? addDays(value, 1) : value;
    onChange({ since: since ?? "", until: until ?? "", [name]: day, range: "" });
  };
  const today = formatZonedDate(timeZone, Date.now());
  const step = (steps: -1 | 1, label: string, sign: string) => {
    const isBounded = since !== undefined && until !== undefined;
    const isAtEnd = !isBounded || (steps < 0 ? days !== undefined && since <= days.first : until > today);
    return (
      <button
        type="button"
        class="button button-step"
        aria-label={label}
        title={label}
        disabled={isAtEnd}
        onClick={() =>
          isBounded && onChange(toRangeParams(shiftRange({ since, until }, steps, today), today))
        }
      >
        {sign}
      </button>
    );
  };
  // An open range is that of all days with usage.
  const firstDay = since ?? days?.first ?? "";
  const lastDay = until === undefined ? (days?.last ?? "") : addDays(until, -1);
  return (
    <form class="controls" aria-label="Chart options" onSubmit={(event) => event.preventDefault()}>
      <div class="controls-group">
        <Choices
          className="choices controls-wide"
          label="Range"
          names={RANGES}
          selected={range}
          onChoose={chooseRange}
        />
        {/* In place of the buttons where these don't fit into a line. */}
        <select
          class="field controls-narrow"
          aria-label="Range"
          value={range}
          onChange={({ currentTarget }) => chooseRange(currentTarget.value)}
        >
          {Object.entries(RANGES).map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
          {!(range in RANGES) && <option value={range}>Custom</option>}
        </select>
        <div class="controls-dates">
          {step(-1, "Earlier", "‹")}
          <label>
            <span class="unseen">First day</span>
            <input class="field" type="date" value={firstDay} max={lastDay} onChange={customDay("since")} />
          </label>
          <span aria-hidden="true">–</span>
          <label>
            <span class="unseen">Last day</span>
            <input class="field" type="date" value={lastDay} min={firstDay} onChange={customDay("until")} />
          </label>
          {step(1, "Later", "›")}
        </div>
      </div>
      <div class="controls-group">
        <Choices
          label="Measure"
          names={MEASURES}
          selected={measure}
          onChoose={(each) => onChange({ measure: each === "cost" ? "" : each })}
        />
        <Select
          label="By"
          name="by"
          value={by}
          options={DIMENSIONS}
          defaultValue="model"
          onChange={onChange}
        />
        <Select label="Period" name="per" value={period} options={PERIODS} onChange={onChange} />
      </div>
      <div class="controls-group">
        <Text label="Project" name="project" value={project} options={projects} onChange={onChange} />
        <Text label="Model" name="model" value={model} options={models} onChange={onChange} />
        <button
          type="button"
          class="button button-plain"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Less" : "More"}
        </button>
      </div>
      {isOpen && (
        <div class="controls-rest">
          <Select
            {...{ label: "Time zone", name: "zone", value: timeZone, options: zones, onChange }}
            defaultValue={getLocalTimeZone()}
          />
          <Select
            {...{ label: "Week starts on", name: "week", value: weekStart, options: WEEKDAYS, onChange }}
            defaultValue="monday"
          />
          <Text
            label="Budget"
            name="budget"
            value={budget}
            hint={configuredBudget.value ?? "200/month"}
            onChange={(changed) => onBudget(changed.budget ?? "")}
          />
        </div>
      )}
    </form>
  );
}

/** The costliest values, as suggestions. Requests them unless the rows are given. */
function useNames(by: "project" | "model", rows?: readonly Row[]): string[] {
  const { data } = useAnswer(rows ? undefined : "usage", { by, limit: 200 });
  return (rows ?? data?.usage.rows ?? []).flatMap(({ key }) => key[by] ?? []);
}

/** Whether an option under "More" differs from its default. */
function hasMore({ budget, weekStart, timeZone }: UsageState): boolean {
  return budget !== "" || weekStart !== "monday" || timeZone !== getLocalTimeZone();
}

interface ChoicesProps {
  label: string;
  /** By option. */
  names: Readonly<Record<string, string>>;
  selected: string;
  onChoose: (option: string) => void;
  className?: string;
}

function Choices({ label, names, selected, onChoose, className = "choices" }: ChoicesProps) {
  return (
    <fieldset class={className}>
      <legend class="unseen">{label}</legend>
      {Object.entries(names).map(([each, name]) => (
        <button
          key={each}
          type="button"
          class="button"
          aria-pressed={selected === each}
          onClick={() => onChoose(each)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

interface ControlProps {
  label: string;
  name: string;
  value: string;
  onChange: (changes: Record<string, string>) => void;
}

interface SelectProps extends ControlProps {
  options: readonly string[];
  defaultValue?: string;
}

function Select({ label, name, value, options, defaultValue, onChange }: SelectProps) {
  // Memoized because there are hundreds of time zones.
  const all = useMemo(
    () =>
      options.map((option) => (
        <option key={option} value={option}>
          {toHeading(option)}
        </option>
      )),
    [options],
  );
  return (
    <label class="control">
      <span>{label}</span>
      <select
        class="field"
        aria-label={label}
        name={name}
        value={value}
        onChange={({ currentTarget }) =>
          onChange({ [name]: currentTarget.value === defaultValue ? "" : currentTarget.value })
        }
      >
        {all}
      </select>
    </label>
  );
}

interface TextProps extends ControlProps {
  options?: readonly string[];
  hint?: string;
}

function Text({ label, name, value, options = [], hint = `any ${name}`, onChange }: TextProps) {
  return (
    <label class="control">
      <span>{label}</span>
      <input
        class="field"
        type="text"
        aria-label={label}
        name={name}
        list={options.length > 0 ? `all-${name}` : undefined}
        value={value}
        placeholder={hint}
        onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value.trim() })}
      />
      {options.length > 0 && (
        <datalist id={`all-${name}`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </label>
  );
}
