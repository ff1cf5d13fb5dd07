import type { Key } from "../../i18n";

/** Why voice sessions ended, in words. */
export const ends: Readonly<Record<string, Key>> = {
  client_left: "people.end.left",
  max_duration: "people.end.longest",
  silence: "people.end.silence",
  credits: "people.end.credits",
  operator: "people.end.operator",
  escalated: "people.end.escalated",
  error: "people.end.error",
  server_stopped: "people.end.stopped",
};
