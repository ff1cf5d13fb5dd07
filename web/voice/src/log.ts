import { getLogger } from "livekit-client";

/**
 * Silences a log: LiveKit writes errors to the console at every end of a call, and what matters is an event here. A level
 * would not do: LiveKit sets it again for each part of a room, and the other way to set it writes to the page's storage.
 */
export function silence(logger: string): void {
  getLogger(logger).methodFactory = () => () => {};
}
