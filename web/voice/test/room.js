// Starts the program with rooms in which an agent repeats what it hears.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { built, start } from "./child.js";

/** Runs it until `stop`. */
export async function startRooms() {
  const folder = mkdtempSync(join(tmpdir(), "parley-rooms-"));
  const { ready, stop, log } = await start(built("PARLEY_VOICEROOM", "./internal/testkit/voiceroom", folder), []);
  return {
    url: ready.url,
    log,
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
