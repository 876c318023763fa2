/**
 * Work that one tab of this browser does for all tabs. A browser opens at most six connections to a server for all its tabs: if
 * each tab kept a stream open, the seventh could send no requests.
 */

interface SharedWork<T> {
  /**
   * @param broadcast sends a message to all tabs, first to this one
   * @param isSuccessor true if another tab did the work before, so that messages may have been lost in between
   */
  work(broadcast: (news: T) => void, isSuccessor: boolean): Promise<void>;
  /** Receives the messages, in every tab. */
  hear(news: T): void;
  /** Called in the working tab; the first message for a new tab. */
  greet(): T;
}

/** A message between tabs. */
type Message<T> = { news: T } | "hello";

/** Does the work in one tab until it is closed, and then in another. Browsers don't freeze background tabs that hold a lock. */
export function runInOneTab<T>(name: string, { work, hear, greet }: SharedWork<T>): void {
  const channel = new BroadcastChannel(name);
  const send = (message: Message<T>) => channel.postMessage(message);
  let isWorking = false;
  channel.onmessage = ({ data }: MessageEvent<Message<T>>) => {
    if (data !== "hello") hear(data.news);
    else if (isWorking) send({ news: greet() });
  };
  const broadcast = (news: T) => {
    hear(news);
    send({ news });
  };
  const start = (isSuccessor: boolean) => {
    isWorking = true;
    return work(broadcast, isSuccessor);
  };
  void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
    if (lock) return start(false);
    send("hello");
    void navigator.locks.request(name, () => start(true));
    return undefined;
  });
}
