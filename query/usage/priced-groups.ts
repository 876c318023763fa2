import { getOrInsert } from "../../src/get-or-insert.ts";
import { addSums, type Sums, zeroSums } from "../../src/store/schema.ts";
import type { SumTarget } from "../../src/store/usage-reads.ts";
import { addEstimates, type Estimate } from "./estimate.ts";
import type { Estimator } from "./estimator.ts";

/** Sums with an estimate. */
export interface Priced {
  sums: Sums;
  /** Undefined without events to estimate. */
  estimate?: Estimate | undefined;
  /** Tokens by model of events to estimate whose price is unknown; null is the model of events that record none. */
  unpriced?: Map<string | null, number> | undefined;
}

type AddGroup = (label: number, session: number | undefined) => Priced;

/** Sums that are divided further than groups, so that they can be priced, and are added up to groups afterwards. */
export class PricedGroups {
  readonly #estimator: Estimator;
  readonly #addGroup: AddGroup;
  readonly #parts: { label: number; session: number | undefined; rate: number; part: number; sums: Sums }[] =
    [];

  constructor(estimator: Estimator, addGroup: AddGroup) {
    this.#estimator = estimator;
    this.#addGroup = addGroup;
  }

  createTarget(label: number, session: number | undefined, rate: number): SumTarget {
    const byPart = new Map<number, Sums>();
    return (part) => {
      let sums = byPart.get(part);
      if (!sums) {
        sums = zeroSums();
        byPart.set(part, sums);
        this.#parts.push({ label: label + this.#estimator.periodOf(part), session, rate, part, sums });
      }
      return sums;
    };
  }

  addUp(): void {
    const groups = new Map<number, Priced>();
    for (const { label, session, rate, part, sums } of this.#parts) {
      const group = getOrInsert(groups, label, () => this.#addGroup(label, session));
      addSums(group.sums, sums);
      if (rate === 0) continue;
      const estimate = this.#estimator.price(rate, part, sums);
      group.estimate = addEstimates([group.estimate, estimate]);
      if (estimate.unpricedTokens === 0) continue;
      const model = this.#estimator.modelOf(rate);
      group.unpriced ??= new Map();
      group.unpriced.set(model, (group.unpriced.get(model) ?? 0) + estimate.unpricedTokens);
    }
  }
}
