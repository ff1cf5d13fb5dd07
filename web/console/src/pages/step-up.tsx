import { useEffect, useState, type ReactNode } from "react";
import { Redirect } from "wouter";
import { hooks } from "../api/client";
import { canUsePasskeys } from "../api/passkey";
import { answerWithPasskey, isSteppedUp, stepUp, type Session } from "../api/session";
import { Button, ButtonLink } from "../components/button";
import { CardPage } from "../components/card";
import { Actions, Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { useTexts, type Key } from "../i18n";
import { awaitConfirmation, endConfirmation, isConfirmationAwaited, useOtherTab } from "./other-tab";
import { PasskeyButton } from "./passkey-button";
import card from "../components/card.module.css";

/** Asks for what the person signs in with, when the server wants to know that it is still the same person. */
export function StepUpDialog({ session }: { session: Session }) {
  const { t } = useTexts();
  const [answer, setAnswer] = useState<(isConfirmed: boolean) => void>();
  useEffect(() => {
    hooks.stepUp = () => new Promise((resolve) => setAnswer(() => resolve));
  }, []);
  const close = (isConfirmed: boolean) => {
    answer?.(isConfirmed);
    setAnswer(undefined);
  };
  return (
    <Dialog title={t("stepUp.title")} isOpen={answer !== undefined} onClose={() => close(false)}>
      <Ways session={session} onClose={close} />
    </Dialog>
  );
}

interface WaysProps {
  session: Session;
  onClose: (isConfirmed: boolean) => void;
}

function Ways({ session: { user, features }, onClose }: WaysProps) {
  const { t } = useTexts();
  const hasPasskey = Boolean(user?.hasPasskey && features.passkey && canUsePasskeys());
  const hasProvider = Boolean(user?.hasSingleSignOn && features.oidc);
  const hasPassword = (user?.hasPassword ?? true) && !user?.secondStep; // which asks for more than the password
  if (!hasPasskey && !hasProvider && !hasPassword) {
    return (
      <>
        <p>{t(user?.hasSingleSignOn ? "stepUp.noWay" : "stepUp.noPassword")}</p>
        <Cancel onClose={onClose}>
          {!user?.hasSingleSignOn && (
            <ButtonLink kind="primary" href="/me" onPress={() => onClose(false)}>
              {t("me.title")}
            </ButtonLink>
          )}
        </Cancel>
      </>
    );
  }
  return (
    <>
      <p>{t("stepUp.text")}</p>
      {hasProvider && <Provider name={features.oidcName} onDone={() => onClose(true)} />}
      {hasPasskey && <PasskeyButton answer={() => answerWithPasskey(true)} isLast={!hasPassword} onDone={() => onClose(true)} />}
      {hasPassword ? <Password onClose={onClose} /> : <Cancel onClose={onClose} />}
    </>
  );
}

function Cancel({ onClose, children }: Pick<WaysProps, "onClose"> & { children?: ReactNode }) {
  const { t } = useTexts();
  return (
    <Actions>
      <Button onPress={() => onClose(false)}>{t("dialog.cancel")}</Button>
      {children}
    </Actions>
  );
}

function Password({ onClose }: Pick<WaysProps, "onClose">) {
  const { t } = useTexts();
  return (
    <Form onSubmit={({ password = "" }) => stepUp(password).then(() => onClose(true))}>
      {(isPending) => (
        <>
          <Field
            name="password"
            type="password"
            label={t("field.password")}
            autoComplete="current-password"
            isRequired
            autoFocus
          />
          <Actions>
            <Button onPress={() => onClose(false)}>{t("dialog.cancel")}</Button>
            <Button type="submit" kind="primary" isPending={isPending}>
              {t("stepUp.submit")}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}

/** Leads to the provider of single sign-on in another tab, and looks for what became of it when this one is back. */
function Provider({ name, onDone }: { name: string; onDone: () => void }) {
  const { t } = useTexts();
  const [isAway, setAway] = useOtherTab(isSteppedUp, onDone);
  return (
    <>
      <ButtonLink
        href={`${location.origin}/console/api/v1/session/oidc?stepUp=true`}
        target="_blank"
        rel="noopener"
        onPress={() => {
          awaitConfirmation();
          setAway(true);
        }}
      >
        {t("stepUp.provider", { name })}
      </ButtonLink>
      <p className={card.or} role="status">
        {isAway ? t("stepUp.away") : ""}
      </p>
    </>
  );
}

const failures: Record<string, Key> = { stale: "stepUp.stale", other: "stepUp.other" };

/** Where the provider of single sign-on sends people back to who have shown again who they are. */
export function ConfirmedPage() {
  const { t } = useTexts();
  const failure = /^#oidc-([a-z-]{1,20})$/.exec(location.hash)?.[1];
  const [isAwaited] = useState(isConfirmationAwaited);
  useEffect(() => {
    if (failure || !isAwaited) return;
    endConfirmation();
    window.close(); // which browsers may not allow
  }, [failure, isAwaited]);
  if (failure) return <CardPage title={t("stepUp.failed")}>{t(failures[failure] ?? "stepUp.again")}</CardPage>;
  if (!isAwaited) return <Redirect to="/console/" replace />;
  return <CardPage title={t("stepUp.done")}>{t("stepUp.goBack")}</CardPage>;
}
