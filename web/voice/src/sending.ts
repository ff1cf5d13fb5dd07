import type { Room } from "livekit-client";

/** What livekit-client 2.23.0 knows and does not tell. */
interface Engine {
  attemptingReconnect?: boolean;
}

/**
 * Waits until what is sent is sent. When livekit-client has joined a room anew it says that it is connected a while before its
 * attempt has ended, and what it takes meanwhile it keeps for a resumption that never comes: a message would be lost in silence.
 */
export async function settled(room: Room): Promise<void> {
  const engine = () => (room as unknown as { engine?: Engine }).engine;
  while (engine()?.attemptingReconnect) await new Promise((done) => setTimeout(done, 20));
}
