import type { PickerRequests, RequestName } from "../model/requests.ts";

/** Controls of a request: its signal, and a callback for partial results. */
export interface RequestControl<N extends RequestName> {
  signal?: AbortSignal;
  /** Sends a partial result. */
  onPartialResult?: (result: PickerRequests[N]["result"]) => void;
}

/** Handles a request. */
export type RequestHandler<N extends RequestName> = (
  params: PickerRequests[N]["params"],
  control?: RequestControl<N>,
) => Promise<PickerRequests[N]["result"]>;

/** Maximum length of an entry's summary, in UTF-16 code units: longer than any terminal line. */
export const MAX_SUMMARY_LENGTH = 300;
