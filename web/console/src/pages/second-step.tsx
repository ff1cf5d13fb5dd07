import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { canUsePasskeys, type Challenge } from "../api/passkey";
import { finishWithCode, finishWithPasskey, setSecondStep, type User } from "../api/session";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { Section } from "../components/page";
import { RecoveryCodes } from "../components/recovery-codes";
import { Failed } from "../components/states";
import { Toggle } from "../components/toggle";
import { useTexts } from "../i18n";
import { PasskeyButton } from "./passkey-button";
import styles from "./me.module.css";

interface Props {
  asked: Challenge;
  onDone: () => Promise<unknown>;
  onBack: () => void;
}

/** Asks who has typed their password for a passkey or a recovery code. */
export function SecondStepForm({ asked, onDone, onBack }: Props) {
  const { t } = useTexts();
  const hasPasskeys = asked.options !== null && canUsePasskeys();
  return (
    <>
      <p role="status">{t("secondStep.text")}</p>
      {hasPasskeys && <PasskeyButton answer={() => finishWithPasskey(asked)} onDone={onDone} hasFocus />}
      <Form onSubmit={({ code = "" }) => finishWithCode(asked, code).then(onDone)}>
        {(isPending) => (
          <>
            <Field name="code" label={t("recovery.code")} autoComplete="one-time-code" isRequired autoFocus={!hasPasskeys} />
            <Button type="submit" kind={hasPasskeys ? "plain" : "primary"} isPending={isPending}>
              {t("signIn.submit")}
            </Button>
            <Button kind="quiet" onPress={onBack}>
              {t("signIn.back")}
            </Button>
          </>
        )}
      </Form>
    </>
  );
}

/** Whether the person's password needs a passkey beside it. */
export function SecondStepSetting({ me }: { me: User }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [codes, setCodes] = useState<string[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const change = async (isRequired: boolean) => {
    setPending(true);
    setError(null);
    try {
      setCodes((await setSecondStep(isRequired)).codes);
      await Promise.all([["me"], ["session"]].map((queryKey) => client.invalidateQueries({ queryKey })));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  if (!me.hasPassword) return null;
  const canHave = Boolean(me.secondStep || me.hasPasskey);
  return (
    <Section title={t("secondStep.title")}>
      <p className={styles.detail}>{t(canHave ? "secondStep.setting" : "secondStep.needsPasskey")}</p>
      {error !== null && <Failed error={error} />}
      <Toggle isSelected={me.secondStep ?? false} isDisabled={isPending || !canHave} onChange={(is) => void change(is)}>
        {t("secondStep.toggle")}
      </Toggle>
      <Dialog title={t("recovery.title")} isOpen={codes.length > 0} onClose={() => setCodes([])}>
        <RecoveryCodes codes={codes} />
      </Dialog>
    </Section>
  );
}
