/** A search field in places that lead nowhere. */
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { withParams } from "./address.ts";
import "./find-sessions.css";

export function FindSessions() {
  const { route } = useLocation();
  const input = useRef<HTMLInputElement>(null);
  return (
    <search class="find-sessions">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          route(withParams("/", { q: input.current?.value.trim() ?? "" }));
        }}
      >
        <input
          ref={input}
          class="field"
          type="search"
          aria-label="Search sessions"
          placeholder="Search sessions"
        />
        <button type="submit" class="button">
          Search
        </button>
      </form>
    </search>
  );
}
