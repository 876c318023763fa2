/** The projection of costs to the end of a period. Runs in browsers too. */
export { projectSpending } from "../../query/usage/projection.ts";
