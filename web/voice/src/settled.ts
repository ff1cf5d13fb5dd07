import type { Room } from "livekit-client";

/**
 * Waits until a reconnect is over. When livekit-client has joined a room again it says that it is connected a while before its
 * attempt has ended. What is sent meanwhile it buffers for a resumption that never comes, and what happens meanwhile (a track, an
 * attribute) it does not report: so messages wait for this, and the state must be read again after it.
 *
 * No public event or property of livekit-client reports the end of the attempt. Its engine's private field does; written like this,
 * the compiler refuses a version that does not have it.
 */
export async function settled(room: Room): Promise<void> {
  const reconnecting = () => (room.engine as Room["engine"] | undefined)?.["attemptingReconnect"]; // there is no engine without a connection
  while (reconnecting()) await new Promise((done) => setTimeout(done, 20));
}
