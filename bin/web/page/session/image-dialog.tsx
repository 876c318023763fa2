import { useState } from "preact/hooks";
import { DisplayContext, type OpenImages } from "../entries/display-options.ts";
import { LoadedImage } from "../entries/entry-image.tsx";
import { Dialog } from "../shell/dialog.tsx";
import "./image-dialog.css";

interface Props extends OpenImages {
  onClose: () => void;
}

/** An image as large as fits in the window. Arrow keys show the others of its entry. */
export function ImageDialog({ images, index, links, onClose }: Props) {
  const [current, setCurrent] = useState(index);
  const image = images[current];
  const go = (by: 1 | -1) => setCurrent((current + by + images.length) % images.length);
  const title = images.length > 1 ? `Image ${current + 1} of ${images.length}` : "Image";
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === "ArrowRight") go(1);
    if (key === "ArrowLeft") go(-1);
  };
  return (
    <Dialog class="image-dialog" {...{ title, onClose, onKeyDown }}>
      <div class="image-buttons">
        {images.length > 1 && (
          <>
            <button type="button" class="button" aria-label="Previous image" onClick={() => go(-1)}>
              ←
            </button>
            <button type="button" class="button" aria-label="Next image" onClick={() => go(1)}>
              →
            </button>
          </>
        )}
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape and a button close it, too */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape and a button close it, too */}
      <div class="image-stage" onClick={({ target }) => target instanceof HTMLImageElement || onClose()}>
        <DisplayContext.Provider value={{ links }}>
          {image && <LoadedImage key={current} {...image} />}
        </DisplayContext.Provider>
      </div>
    </Dialog>
  );
}
