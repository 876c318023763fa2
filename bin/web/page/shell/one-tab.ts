/**
 * Work that one tab of this browser does for all tabs. A browser opens at most six connections to a server for all its tabs: if
 * each tab kept a stream open, the seventh could send no requests.
 */

/** The tab that does the work. */
export interface WorkingTab<T> {
  /** Sends a message to all tabs, first to this one. */
  broadcast(news: T): void;
  /** True if another tab did the work before, so that messages may have been lost in between. */
  isSuccessor: boolean;
}

/** A message between tabs. */
type Message<T> = { news: T } | "hello";

/**
 * Runs `work` in one tab until it is closed, and then in another. `hear` receives the messages in every tab. `greet`, called in
 * the working tab, returns the first message for a new tab.
 *
 * Browsers don't freeze background tabs that hold a lock. Without support for locks or channels, each tab does its own work.
 */
export function runInOneTab<T>(
  name: string,
  {
    work,
    hear,
    greet,
  }: { work: (tab: WorkingTab<T>) => Promise<void>; hear: (news: T) => void; greet: () => T },
): void {
  if (!("BroadcastChannel" in globalThis) || !navigator.locks) {
    void work({ broadcast: hear, isSuccessor: false });
    return;
  }
  const channel = new BroadcastChannel(name);
  const send = (message: Message<T>) => channel.postMessage(message);
  let isWorking = false;
  channel.onmessage = ({ data }: MessageEvent<Message<T>>) => {
    if (data !== "hello") hear(data.news);
    else if (isWorking) send({ news: greet() });
  };
  const sendToAll = (news: T) => {
    hear(news);
    send({ news });
  };
  const start = (isSuccessor: boolean) => {
    isWorking = true;
    return work({ broadcast: sendToAll, isSuccessor });
  };
  void navigator.locks
    .request(name, { ifAvailable: true }, (lock) => {
      if (lock) return start(false);
      send("hello");
      void navigator.locks.request(name, () => start(true));
      return undefined;
    })
    .catch(() => work({ broadcast: hear, isSuccessor: false })); // where storage is blocked, locks are refused
}
