import { useState } from "react";
import { Button } from "../../components/button";
import { MenuButton, type MenuAction } from "../../components/menu-button";
import { formatDate, useTexts } from "../../i18n";
import { useKeys } from "../../shell/keys";
import { useScreenActions } from "../../shell/screen-actions";
import { momentOf, snoozeTimes, type SnoozeTime } from "./snooze-times";
import styles from "./inbox.module.css";

/** Puts the open conversation aside until a time. */
export function SnoozeMenu({ onSnooze }: { onSnooze: (until: string) => void }) {
  const { t } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  useKeys({ z: open });
  useScreenActions([{ id: "inbox snooze", icon: "clock", name: t("inbox.snooze"), keys: "z", run: open }]);
  const actions = snoozeTimes.map((id): MenuAction<SnoozeTime> => ({ id, icon: "clock", name: t(`inbox.snooze.${id}`) }));
  const act = (id: SnoozeTime) => onSnooze(momentOf(id).toISOString());
  return <MenuButton isIcon icon="clock" label={t("inbox.snooze")} actions={actions} onAction={act} control={{ isOpen, onOpenChange: setOpen }} />;
}

interface NoteProps {
  until: string;
  isPending: boolean;
  onWake: () => void;
}

/** Says until when the conversation is put aside, and brings it back. */
export function SnoozeNote({ until, isPending, onWake }: NoteProps) {
  const { t, locale } = useTexts();
  return (
    <div className={styles.claim}>
      <p role="status">{t("inbox.snoozedUntil", { time: formatDate(until, locale) })}</p>
      <Button isPending={isPending} onPress={onWake}>
        {t("inbox.wake")}
      </Button>
    </div>
  );
}
