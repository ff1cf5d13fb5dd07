import { getLogger } from "livekit-client";

/**
 * Keeps a log out of the console: LiveKit writes errors there at every end of a call, and what matters is an event here. A level
 * would not do: LiveKit sets it anew with each part of a room, and the other way to set it leaves traces in the page's storage.
 */
export function silence(logger: string): void {
  getLogger(logger).methodFactory = () => () => {};
}
