import { memo, useEffect, useRef, useState, type KeyboardEvent } from "react";
import { Button as AriaButton } from "react-aria-components";
import { Icon } from "../../components/icon";
import { useTexts } from "../../i18n";
import styles from "./composer.module.css";

interface Props {
  isBusy: boolean;
  /** Nothing can be sent yet. */
  isDisabled?: boolean;
  /** Takes the focus as soon as something can be sent. */
  takesFocus?: boolean;
  onAsk: (message: string) => void;
  onStop: () => void;
}

/** Where a message is written: Enter sends it, with Shift it begins a line. It is not drawn again with every word that comes. */
export const Composer = memo(function Composer({ isBusy, isDisabled = false, takesFocus = false, onAsk, onStop }: Props) {
  const { t } = useTexts();
  const [text, setText] = useState("");
  const area = useRef<HTMLTextAreaElement>(null);
  const message = text.trim();
  useEffect(() => {
    if (takesFocus && !isDisabled) area.current?.focus();
  }, [takesFocus, isDisabled]);
  const send = () => {
    if (isBusy || isDisabled || !message) return;
    onAsk(message);
    setText("");
    area.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div className={styles.composer}>
      <textarea
        ref={area}
        className={styles.text}
        rows={1}
        dir="auto"
        maxLength={20_000}
        value={text}
        placeholder={t("playground.ask")}
        aria-label={t("playground.ask")}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
      />
      {isBusy ? (
        <AriaButton className={styles.send!} aria-label={t("playground.stop")} onPress={onStop}>
          <Icon name="square" size={16} />
        </AriaButton>
      ) : (
        <AriaButton className={styles.send!} aria-label={t("playground.send")} isDisabled={isDisabled || !message} onPress={send}>
          <Icon name="arrow-up" />
        </AriaButton>
      )}
    </div>
  );
});
