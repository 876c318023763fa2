/**
 * Work that one of the tabs of this browser does for all. A browser opens six connections to a server, whatever the number of tabs:
 * were a stream kept open by each of seven, nothing could be asked any more.
 */

/** The tab that does the work. */
export interface WorkingTab<T> {
  /** Tells all tabs, this one first. */
  tell(news: T): void;
  /** Whether another tab did the work before, and what came about in between was told to no tab. */
  isSuccessor: boolean;
}

/** What goes between the tabs. */
type Message<T> = { news: T } | "hello";

/**
 * Has `work` done by one tab, from now on until that is closed, and then by another; `hear` is called with what the working tab
 * tells. `greet` is asked, in the working tab, for what a tab that has just been opened is told first.
 *
 * A tab that holds a lock is not frozen in the background. Where a browser lacks locks or channels, each tab works for itself.
 */
export function inOneTab<T>(
  name: string,
  {
    work,
    hear,
    greet,
  }: { work: (tab: WorkingTab<T>) => Promise<void>; hear: (news: T) => void; greet: () => T },
): void {
  if (!("BroadcastChannel" in globalThis) || !navigator.locks) {
    void work({ tell: hear, isSuccessor: false });
    return;
  }
  const channel = new BroadcastChannel(name);
  const send = (message: Message<T>) => channel.postMessage(message);
  let isWorking = false;
  channel.onmessage = ({ data }: MessageEvent<Message<T>>) => {
    if (data !== "hello") hear(data.news);
    else if (isWorking) send({ news: greet() });
  };
  const tell = (news: T) => {
    hear(news);
    send({ news });
  };
  const begin = (isSuccessor: boolean) => {
    isWorking = true;
    return work({ tell, isSuccessor });
  };
  void navigator.locks
    .request(name, { ifAvailable: true }, (lock) => {
      if (lock) return begin(false);
      send("hello");
      void navigator.locks.request(name, () => begin(true));
      return undefined;
    })
    .catch(() => work({ tell: hear, isSuccessor: false })); // where storage is blocked, locks are refused
}
