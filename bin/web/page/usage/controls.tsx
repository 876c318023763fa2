import { useMemo } from "preact/hooks";
import { useAnswer } from "../shell/api.ts";
import {
  DIMENSIONS,
  getLocalTimeZone,
  MEASURES,
  PERIODS,
  RANGES,
  type UsageState,
  WEEK_DAYS,
} from "./usage-state.ts";
import { addDays } from "./zone-days.ts";

interface Props {
  choice: UsageState;
  period: string;
  onChange: (changes: Record<string, string>) => void;
}

const RANGE_NAMES: Record<string, string> = {
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  year: "Year",
  all: "All",
};

/** The controls for range, measure, breakdown and filters. */
export function Controls({ choice, period, onChange }: Props) {
  const { range, since, until, measure, by, timeZone, weekStart, project, model, budget } = choice;
  const projects = useNames("project");
  const models = useNames("model");
  const zones = useMemo(
    () => [...new Set([getLocalTimeZone(), "UTC", ...Intl.supportedValuesOf("timeZone")])],
    [],
  );
  const customDay = (name: "since" | "until") => (event: Event & { currentTarget: HTMLInputElement }) => {
    const { value } = event.currentTarget;
    // The field shows the last day; `until` is the day after it.
    const day = name === "until" && value !== "" ? addDays(value, 1) : value;
    onChange({ since: since ?? "", until: until ?? "", [name]: day, range: "" });
  };
  const lastDay = until === undefined ? "" : addDays(until, -1);
  return (
    <form class="controls" aria-label="Chart options" onSubmit={(event) => event.preventDefault()}>
      <Choices
        label="Range"
        options={RANGES}
        selected={range}
        names={RANGE_NAMES}
        onChoose={(each) => onChange({ range: each === "30d" ? "" : each, since: "", until: "" })}
      />
      <div class="controls-dates">
        <label>
          <span class="unseen">First day</span>
          <input class="field" type="date" value={since ?? ""} max={lastDay} onChange={customDay("since")} />
        </label>
        <span aria-hidden="true">–</span>
        <label>
          <span class="unseen">Last day</span>
          <input class="field" type="date" value={lastDay} min={since} onChange={customDay("until")} />
        </label>
      </div>
      <Choices
        label="Measure"
        options={MEASURES}
        selected={measure}
        names={{ cost: "Cost", tokens: "Tokens" }}
        onChoose={(each) => onChange({ measure: each === "cost" ? "" : each })}
      />
      <Select label="By" name="by" value={by} options={DIMENSIONS} defaultValue="model" onChange={onChange} />
      <Select label="Period" name="per" value={period} options={PERIODS} onChange={onChange} />
      <details class="controls-more" open={hasMore(choice)}>
        <summary class="button button-plain">More</summary>
        <div class="controls-rest">
          <Text label="Project" name="project" value={project} options={projects} onChange={onChange} />
          <Text label="Model" name="model" value={model} options={models} onChange={onChange} />
          <Select
            label="Time zone"
            name="zone"
            value={timeZone}
            options={zones}
            defaultValue={getLocalTimeZone()}
            onChange={onChange}
          />
          <Select
            label="Week starts on"
            name="week"
            value={weekStart}
            options={WEEK_DAYS}
            defaultValue="monday"
            onChange={onChange}
          />
          <Text label="Budget" name="budget" value={budget} hint="200/month" onChange={onChange} />
        </div>
      </details>
    </form>
  );
}

/** The costliest values, as suggestions. */
function useNames(by: "project" | "model"): string[] {
  const { data } = useAnswer("usage", { by, limit: 200 });
  return data?.usage.rows.flatMap(({ key }) => key[by] ?? []) ?? [];
}

/** Whether an option under "More" differs from its default. */
function hasMore({ project, model, budget, weekStart, timeZone }: UsageState): boolean {
  return (project || model || budget) !== "" || weekStart !== "monday" || timeZone !== getLocalTimeZone();
}

interface ChoicesProps {
  label: string;
  options: readonly string[];
  selected: string;
  names: Readonly<Record<string, string>>;
  onChoose: (option: string) => void;
}

function Choices({ label, options, selected, names, onChoose }: ChoicesProps) {
  return (
    <fieldset class="choices">
      <legend class="unseen">{label}</legend>
      {options.map((each) => (
        <button
          key={each}
          type="button"
          class="button"
          aria-pressed={selected === each}
          onClick={() => onChoose(each)}
        >
          {names[each]}
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

function Select({
  label,
  name,
  value,
  options,
  defaultValue,
  onChange,
}: ControlProps & { options: readonly string[]; defaultValue?: string }) {
  // Memoized because there are hundreds of time zones.
  const all = useMemo(
    () =>
      options.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      )),
    [options],
  );
  return (
    <label class="control">
      <span>{label}</span>
      <select
        class="field"
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

function Text({
  label,
  name,
  value,
  options = [],
  hint = "any",
  onChange,
}: ControlProps & { options?: readonly string[]; hint?: string }) {
  return (
    <label class="control">
      <span>{label}</span>
      <input
        class="field"
        type="text"
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
