import { useChat } from "./context";
import { lazy } from "./lazy";
import type { UploadedFile } from "./state";
import type { Translate } from "./translate";

const MessageFiles = lazy(async () => (await import("./files/message-files")).MessageFiles);

/** The files of a message. */
export function Files({ files }: { files: readonly UploadedFile[] }) {
  const { config, texts } = useChat();
  if (files.length === 0) return null;
  return <MessageFiles files={files} agentId={config.agentId} t={texts.t as Translate} locale={texts.locale.value} />;
}
