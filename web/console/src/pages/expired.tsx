import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { hooks } from "../api/client";
import { readSession, signOutOther, tellTabs, useOtherTabs, type Session, type User } from "../api/session";
import { Button } from "../components/button";
import { Actions, Dialog } from "../components/dialog";
import { useTexts } from "../i18n";
import { isTextField } from "../shell/keys";
import { SignInForm } from "./sign-in";
import styles from "./expired.module.css";

type Answer = (isSamePerson: boolean) => void;

/** "told" is a note above the page, which leaves the focus to whoever types. */
type State = "hidden" | "told" | "asked";

/**
 * Asks to sign in again over the page, when the session has ended: what is typed below it stays, and the requests that
 * were refused are sent again. With somebody else who signs in everything begins anew, if they want that.
 */
export function ExpiredDialog({ session, onLeave }: { session: Session; onLeave: () => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const waiting = useRef<Answer[]>([]);
  const [state, setState] = useState<State>("hidden");
  const [other, setOther] = useState<User | null>(null); // who has signed in in place of the person
  const [isAsked, setAsked] = useState(false); // whose page it is to be
  const before = session.user?.id;
  const former = session.user?.email ?? "";
  useEffect(() => {
    hooks.signedOut = (isOwn) =>
      new Promise((resolve) => {
        waiting.current.push(resolve);
        const isTyping = !isOwn && isTextField(document.activeElement);
        setState((now) => (now === "asked" || !isTyping ? "asked" : "told"));
      });
    return () => waiting.current.splice(0).forEach((answer) => answer(false));
  }, []);
  useSilence(other !== null);
  // goOn does not read the session where all pages find it before it is known whose it is.
  const goOn = useCallback(async () => {
    const { user } = await readSession();
    if (user && user.id !== before) {
      setOther(user);
      return setAsked(true);
    }
    if (!user) return;
    tellTabs();
    setOther(null);
    setState("hidden");
    for (const answer of waiting.current.splice(0)) answer(true);
    await client.invalidateQueries();
  }, [before, client]);
  const back = () => void signOutOther().then(() => setAsked(false), () => {}); // the button stays
  useOtherTabs(useCallback(() => void (waiting.current.length > 0 && goOn().catch(() => {})), [goOn]));
  return (
    <>
      {state === "told" && (
        <div role="alert" className={styles.banner}>
          <p>{t("expired.text")}</p>
          <Button onPress={() => setState("asked")}>{t("expired.title")}</Button>
        </div>
      )}
      <Dialog title={t("expired.title")} isOpen={state === "asked"} isDismissable={false} onClose={() => {}}>
        {other && isAsked ? (
          <SomebodyElse now={other.email} former={former} onBack={back} onGoOn={onLeave} />
        ) : (
          <>
            <p>{t("expired.text")}</p>
            <SignInForm features={session.features} onDone={goOn} email={former} />
          </>
        )}
      </Dialog>
    </>
  );
}

interface SomebodyElseProps {
  now: string;
  former: string;
  onBack: () => void;
  onGoOn: () => void;
}

function SomebodyElse({ now, former, onBack, onGoOn }: SomebodyElseProps) {
  const { t } = useTexts();
  return (
    <>
      <p role="alert">{t("expired.other", { now, former })}</p>
      <Actions>
        <Button kind="danger" onPress={onGoOn}>
          {t("expired.discard", { now })}
        </Button>
        <Button kind="primary" autoFocus onPress={onBack}>
          {t("expired.back", { former })}
        </Button>
      </Actions>
    </>
  );
}

// useSilence keeps the page until it is known whose it is to be: what reads in the background is refused meanwhile.
function useSilence(isOpen: boolean) {
  useEffect(() => {
    if (!isOpen) return;
    const { userChanged } = hooks;
    hooks.userChanged = () => {};
    return () => void (hooks.userChanged = userChanged);
  }, [isOpen]);
}
