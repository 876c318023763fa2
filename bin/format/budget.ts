/** The projection of costs to the end of a period. Runs in browsers too. */
export { computeBudget } from "../../query/usage/budget.ts";
