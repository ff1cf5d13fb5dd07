import { useState } from "react";
import { useKeepsReadMarks, useMarkUnread } from "../api/read-marks";
import { useTexts } from "../i18n";
import { useScreenActions } from "../shell/screen-actions";
import { IconButton } from "./button";
import { Failed } from "./states";

interface Props {
  /** The conversation. */
  id: string;
  /** Has it go out of sight, once it is marked. */
  leave: () => void;
}

/** Marks what is open as unread, for whoever answers customers. */
export function MarkUnread({ id, leave }: Props) {
  const { t } = useTexts();
  const isKept = useKeepsReadMarks();
  const mark = useMarkUnread();
  const [error, setError] = useState<unknown>(null);
  const run = () => {
    setError(null);
    mark(id, leave).catch(setError);
  };
  useScreenActions(isKept ? [{ id: "mark unread", icon: "mail", name: t("inbox.markUnread"), run }] : []);
  if (!isKept) return null;
  return (
    <>
      <IconButton icon="mail" label={t("inbox.markUnread")} onPress={run} />
      {error !== null && <Failed error={error} />}
    </>
  );
}
