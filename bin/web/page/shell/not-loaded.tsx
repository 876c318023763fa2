import { MessagePage } from "./message-page.tsx";

/**
 * Loads the files of a view. If they cannot be loaded, because the server was stopped, there is a view that says so.
 *
 * @param load must import them itself, so that failures of their style sheets are caught, too
 */
export async function orNotLoaded<View>(load: () => Promise<View>): Promise<View | typeof NotLoaded> {
  try {
    return await load();
  } catch {
    return NotLoaded; // which names the likely cause; the browser's console has the error
  }
}

/** A browser keeps the failure of an import until the page is reloaded. */
function NotLoaded() {
  return (
    <MessagePage title="This view could not be loaded">
      <p>pidex serve does not respond. Start it again, then reload.</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        Reload
      </button>
    </MessagePage>
  );
}
