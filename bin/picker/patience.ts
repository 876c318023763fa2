/** How long the list waits for complete results before it draws quick ones. */

export interface Patience {
  /** In milliseconds, from any start. */
  now: () => number;
  /** The result of work if it is there in time, otherwise undefined. */
  wait: <T>(work: Promise<T>) => Promise<T | undefined>;
}

/** In milliseconds: with the quick search before it and the drawing after it, less than two frames of a screen. */
const WAIT_MS = 20;
/** A complete search is expected to take about twice as long as a quick one. If that took longer than this, it is not waited for. */
export const MAX_QUICK_MS = WAIT_MS / 2;

export const PATIENCE: Patience = {
  now: () => performance.now(),
  wait: async (work) => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), WAIT_MS);
    try {
      return await Promise.race([work, promise]);
    } finally {
      clearTimeout(timer);
    }
  },
};
