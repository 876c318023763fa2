import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BudgetStatus, type IndexQueries, readUserPrices } from "../../library/index.ts";
import { getDataFolder, toMessage } from "../../library/internal.ts";
import { countsEstimates, formatBudget, getBudgets } from "../actions/budgets.ts";
import { showNotification } from "../actions/notify.ts";
import { formatDollars, formatPercent } from "../format/numbers.ts";

/** Shares of a budget of which the user is notified, once per period each. */
const LEVELS = [1, 0.8];

/** By budget, as `formatBudget` writes it: the highest share that was notified of, in the period that starts at `from`. */
type Sent = Record<string, { from: string; level: number }>;

interface Options {
  onProblem: (text: string) => void;
  env?: NodeJS.ProcessEnv;
  /** Shows a notification. */
  show?: typeof showNotification;
}

/** Notifies the user when a budget of the settings is nearly or entirely used up. */
export class BudgetAlerts {
  readonly #index: Pick<IndexQueries, "spending">;
  readonly #options: Required<Options>;
  readonly #path: string;
  /** Failed in this process: not tried again, because it would fail after every sync. */
  readonly #failed = new Set<string>();
  #running: Promise<void> | undefined;
  #isDue = false;

  constructor(
    index: Pick<IndexQueries, "spending">,
    { env = process.env, show = showNotification, ...options }: Options,
  ) {
    this.#index = index;
    this.#options = { ...options, env, show };
    this.#path = join(getDataFolder(env, process.platform), "budget-alerts.json");
  }

  /** Compares the budgets with what is spent, now or after the comparison that is running. Never throws. */
  request(): void {
    this.#isDue = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits for the comparison that is running. */
  async close(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      try {
        await this.#compare();
      } catch (error) {
        this.#options.onProblem(`budgets could not be compared: ${toMessage(error)}`);
      }
    }
  }

  async #compare(): Promise<void> {
    const { env } = this.#options;
    const budgets = getBudgets(env);
    if (budgets.length === 0) return;
    const estimates = countsEstimates(undefined, env);
    const prices = estimates ? await readUserPrices(env) : undefined;
    const weekStart = (env.PIDEX_WEEK_START || undefined) as "monday" | undefined;
    const spending = await this.#index.spending({ budgets, weekStart, estimates, prices });
    for (const budget of spending.budgets) await this.#notify(budget);
  }

  async #notify(budget: BudgetStatus): Promise<void> {
    const level = LEVELS.find((each) => budget.share >= each);
    if (level === undefined) return;
    const name = formatBudget(budget);
    const { from } = budget;
    // Read each time: another process may watch, too.
    const sent = this.#read();
    const last = sent[name];
    const attempt = `${name} ${from} ${level}`;
    if ((last?.from === from && last.level >= level) || this.#failed.has(attempt)) return;
    try {
      const { env, show } = this.#options;
      await show(toNotification(budget, level), { command: env.PIDEX_NOTIFY_COMMAND || undefined });
      this.#write({ ...sent, [name]: { from, level } });
    } catch (error) {
      this.#failed.add(attempt);
      this.#options.onProblem(
        `could not notify you that ${toNotification(budget, level).text}: ${toMessage(error)}`,
      );
    }
  }

  #read(): Sent {
    try {
      const sent: unknown = JSON.parse(readFileSync(this.#path, "utf8"));
      return typeof sent === "object" && sent !== null ? (sent as Sent) : {};
    } catch {
      return {}; // missing, or damaged: at worst a notification is repeated
    }
  }

  #write(sent: Sent): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    const temporary = `${this.#path}.${process.pid}`;
    writeFileSync(temporary, JSON.stringify(sent));
    renameSync(temporary, this.#path);
  }
}

function toNotification(budget: BudgetStatus, level: number): { title: string; text: string } {
  const { spentUsd, amountUsd, share, project } = budget;
  const of = project === undefined ? "" : ` for ${project}`;
  const period = budget.per === "day" ? "today" : `this ${budget.per}`;
  return {
    title: level >= 1 ? "pidex: budget used up" : "pidex: budget nearly used up",
    text: `${formatDollars(spentUsd)} of ${formatDollars(amountUsd)} spent ${period}${of} (${formatPercent(share)})`,
  };
}
