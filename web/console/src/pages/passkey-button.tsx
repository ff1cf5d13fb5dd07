import { useState } from "react";
import { answerWithPasskey } from "../api/session";
import { Button } from "../components/button";
import { Failed } from "../components/states";
import { useTexts, type Key } from "../i18n";
import card from "../components/card.module.css";

interface Props {
  /** What the passkey is shown for; signing in unless something else is given. */
  answer?: () => Promise<unknown>;
  label?: Key;
  /** There is no other way below it. */
  isLast?: boolean;
  hasFocus?: boolean;
  onDone: () => unknown;
}

/** Signs in with a passkey, which says itself whose it is; or shows with one who one is. */
export function PasskeyButton({ answer = answerWithPasskey, label = "passkey.use", isLast = false, hasFocus = false, onDone }: Props) {
  const { t } = useTexts();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const press = async () => {
    setPending(true);
    setError(null);
    try {
      await answer();
      await onDone();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  return (
    <>
      {error !== null && <Failed error={error} />}
      <Button kind={hasFocus ? "primary" : "plain"} isPending={isPending} autoFocus={hasFocus} onPress={() => void press()}>
        {t(label)}
      </Button>
      {!isLast && <p className={card.or}>{t("signIn.or")}</p>}
    </>
  );
}
