/** Requests at the same time. */
const CONNECTIONS = 4;

/**
 * Runs `work` for each task, several at a time. The first error stops the others and is thrown.
 *
 * @param createTasks called with a signal that is aborted then, and by `signal`
 */
export async function runInParallel<Task>(
  signal: AbortSignal | undefined,
  createTasks: (signal: AbortSignal) => AsyncIterable<Task>,
  work: (task: Task, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const tasks = createTasks(either);
  const run = async () => {
    try {
      for await (const task of tasks) {
        either.throwIfAborted();
        await work(task, either);
      }
    } catch (error) {
      stop.abort(error);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, run));
  stop.signal.throwIfAborted();
}
