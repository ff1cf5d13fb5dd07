// Has the next pages of a site load the chat, also where it stays closed, while a person has the conversation.
import type { FrameChat } from "./chat";

const lifetime = 7 * 24 * 3_600_000; // milliseconds: somebody who has not written by then will not

/** Keeps for the loader until when a person may write. */
export function notePersons({ config, conversation, mode, post }: Pick<FrameChat, "config" | "conversation" | "mode" | "post">) {
  if (mode !== "bubble") return;
  let noted: boolean | undefined;
  conversation.subscribe((head) => {
    const isTakenOver = head?.status === "taken_over";
    if (isTakenOver === noted || (head === null && noted === undefined)) return;
    noted = isTakenOver;
    const value = isTakenOver ? String(Date.now() + lifetime) : null;
    post({ type: "storage-set", data: { key: `parley:${config.agentId}:person`, value } });
  });
}
