/** The way to the end of a transcript, and the number of new entries there. */
import { formatCount } from "../../../format/safe.ts";

interface Props {
  /** Whether an agent may be running. */
  isLive: boolean;
  isAtEnd: boolean;
  /** The number of new entries below the screen. */
  unread: number;
  onGo: () => void;
}

export function TranscriptEnd({ isLive, isAtEnd, unread, onGo }: Props) {
  if (unread > 0)
    return (
      <button type="button" class="button button-main transcript-fresh" onClick={onGo}>
        {formatCount(unread, "new entry", "new entries")} ↓
      </button>
    );
  if (isAtEnd) return isLive ? <span class="chip chip-live transcript-following">Following</span> : null;
  return (
    <button
      type="button"
      class="button transcript-end"
      aria-label="Go to the end"
      title="Go to the end (G)"
      onClick={onGo}
    >
      ↓
    </button>
  );
}
