import type { Room } from "livekit-client";

/** What livekit-client 2.23.0 knows and does not tell. */
interface Engine {
  attemptingReconnect?: boolean;
}

/**
 * Waits until a reconnect is over. When livekit-client has joined a room anew it says that it is connected a while before its
 * attempt has ended. What is sent meanwhile it keeps for a resumption that never comes, and what happens meanwhile (a track, an
 * attribute) it does not tell: so messages wait for this, and after it one has to look what there is.
 */
export async function settled(room: Room): Promise<void> {
  const engine = () => (room as unknown as { engine?: Engine }).engine;
  while (engine()?.attemptingReconnect) await new Promise((done) => setTimeout(done, 20));
}
