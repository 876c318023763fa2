/** The axis of a chart with a bar for each period. */
import { scaleUtc } from "d3-scale";
import { DAY_MS } from "../../../format/times.ts";
import { formatDayTick, formatMonthTick, isMonthStart } from "./days.ts";

/** A period on the time axis. */
export interface TimeSlot {
  label: string;
  /** The start of the period, with local time in the UTC fields. */
  begins: Date;
  /** The start of the next period. */
  ends: Date;
}

const MIN_TICK_DISTANCE_PX = 80;
const LABEL_PX = 44;

/** Axis labels at the starts of hours, days, months and years, as many as fit into a width in pixels. */
export function toSlotTicks(slots: readonly TimeSlot[], width: number): { slot: number; text: string }[] {
  const [first, last] = [slots[0], slots.at(-1)];
  if (!first || !last) return [];
  const maxTicks = Math.max(1, Math.floor(width / MIN_TICK_DISTANCE_PX));
  const begins = slots.map((slot) => slot.begins);
  const ends = new Date(last.begins.getTime() + 1);
  const showsHours = slots.length > 1 && ends.getTime() - first.begins.getTime() < 3 * DAY_MS;
  const ticks = slots.length <= maxTicks ? begins : scaleUtc().domain([first.begins, ends]).ticks(maxTicks);
  const areMonthTicks = ticks.length > 1 && ticks.every(isMonthStart);
  const formatSlot =
    last.ends.getTime() - last.begins.getTime() > 27 * DAY_MS ? formatMonthTick : formatDayTick;
  const format = areMonthTicks ? formatMonthTick : formatSlot;
  const placed = ticks.flatMap((tick) => {
    const slot = begins.findIndex((date) => date >= tick);
    const isMidnight = tick.getUTCHours() === 0 && tick.getUTCMinutes() === 0;
    if (slot < 0 || (!isMidnight && !showsHours)) return [];
    // A week rarely begins on the day of a tick: its label is its own first day.
    const date = areMonthTicks ? tick : (begins[slot] ?? tick);
    return [{ slot, text: isMidnight ? format(date) : tick.toISOString().slice(11, 16) }];
  });
  const labelSlots = (slots.length / Math.max(1, width)) * LABEL_PX;
  const fitting = placed.filter(
    ({ slot }, n) => placed[n - 1]?.slot !== slot && slot <= slots.length - labelSlots,
  );
  return fitting.length > 0 ? fitting : [{ slot: 0, text: formatSlot(first.begins) }];
}
