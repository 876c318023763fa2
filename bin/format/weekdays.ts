/** The names of weekdays, Monday first. Runs in browsers too, and loads nothing else. */
export { WEEKDAYS } from "../../query/weekdays.ts";
