// Who visitors are: the secret that a site signs with, how it does that, and what is wrong with a token.
import { useState } from "react";
import { Form } from "react-aria-components";
import { checkIdentity, readIdentitySecret, rotateIdentitySecret, type IdentitySecret, type IdentityVerdict } from "../../api/embed";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { Code } from "../../components/code";
import { Actions, Dialog } from "../../components/dialog";
import { Section } from "../../components/page";
import { Failed } from "../../components/states";
import { TextArea } from "../../components/text-area";
import { formatDate, useTexts, type Key } from "../../i18n";
import { identify, samples, type SampleName } from "./snippets";
import { Verdict } from "./verdict";
import styles from "./embed.module.css";

export function Identity({ id, mayChange }: { id: string; mayChange: boolean }) {
  const { t } = useTexts();
  const [language, setLanguage] = useState<SampleName>("Node.js");
  const names = Object.keys(samples) as SampleName[];
  return (
    <Section title={t("embed.identity")}>
      <p>{t("embed.identityText")}</p>
      {mayChange && <Secret id={id} />}
      <Choice
        label={t("embed.language")}
        value={language}
        options={names.map((name) => ({ id: name, name }))}
        onChange={setLanguage}
      />
      <Code label={language} text={samples[language]} />
      <p>{t("embed.identify")}</p>
      <Code label={t("embed.inPage")} text={identify} />
      {mayChange && <TokenCheck id={id} />}
    </Section>
  );
}

function Secret({ id }: { id: string }) {
  const { t, locale } = useTexts();
  const [shown, setShown] = useState<IdentitySecret | null>(null);
  const [isRotating, setRotating] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const show = () => {
    setError(null);
    readIdentitySecret(id).then(setShown, setError);
  };
  return (
    <div className={styles.secret}>
      {shown && <Code label={t("embed.secret")} text={shown.secret} />}
      {shown?.oldUntil && <p>{t("embed.oldUntil", { time: formatDate(shown.oldUntil, locale) })}</p>}
      {error !== null && <Failed error={error} />}
      <div className={styles.buttons}>
        {shown ? (
          <Button onPress={() => setShown(null)}>{t("embed.hide")}</Button>
        ) : (
          <Button onPress={show}>{t("embed.show")}</Button>
        )}
        <Button icon="refresh-cw" onPress={() => setRotating(true)}>
          {t("embed.rotate")}
        </Button>
      </div>
      <Dialog title={t("embed.rotate")} isOpen={isRotating} onClose={() => setRotating(false)}>
        <Rotation id={id} onClose={() => setRotating(false)} onDone={setShown} />
      </Dialog>
    </div>
  );
}

const overlaps = ["0", "1", "7", "14"] as const;

interface RotationProps {
  id: string;
  onClose: () => void;
  onDone: (secret: IdentitySecret) => void;
}

function Rotation({ id, onClose, onDone }: RotationProps) {
  const { t } = useTexts();
  const [days, setDays] = useState<(typeof overlaps)[number]>("1");
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const rotate = async () => {
    setPending(true);
    setError(null);
    try {
      onDone(await rotateIdentitySecret(id, Number(days)));
      onClose();
    } catch (thrown) {
      setError(thrown);
      setPending(false);
    }
  };
  return (
    <>
      <p>{t("embed.rotateText")}</p>
      <Choice
        label={t("embed.overlap")}
        value={days}
        options={overlaps.map((one) => ({ id: one, name: t(`embed.days${one}`) }))}
        onChange={setDays}
      />
      {error !== null && <Failed error={error} />}
      <Actions>
        <Button onPress={onClose}>{t("dialog.cancel")}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => void rotate()}>
          {t("embed.rotateNow")}
        </Button>
      </Actions>
    </>
  );
}

const reasons: Readonly<Record<string, Key>> = {
  expired: "embed.why.expired",
  bad_signature: "embed.why.signature",
  wrong_algorithm: "embed.why.algorithm",
  no_user: "embed.why.user",
  malformed: "embed.why.malformed",
};

function TokenCheck({ id }: { id: string }) {
  const { t } = useTexts();
  const [token, setToken] = useState("");
  const [found, setFound] = useState<{ token: string; verdict: IdentityVerdict } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const check = () => {
    setError(null);
    checkIdentity(id, token.trim()).then((verdict) => setFound({ token, verdict }), setError);
  };
  const verdict = found?.token === token ? found.verdict : null;
  return (
    <Form
      className={styles.check!}
      onSubmit={(event) => {
        event.preventDefault();
        if (token.trim()) check();
      }}
    >
      <TextArea name="token" label={t("embed.token")} hint={t("embed.tokenHint")} rows={4} isCode value={token} onChange={setToken} />
      <div>
        <Button type="submit">{t("embed.check")}</Button>
      </div>
      {error !== null && <Failed error={error} />}
      {verdict && (
        <>
          <Verdict isGood={verdict.userId !== ""}>
            {verdict.userId ? t("embed.valid", { user: verdict.userId }) : t(reasons[verdict.reason] ?? "embed.why.malformed")}
          </Verdict>
          <ul className={styles.details} lang="en" dir="ltr">
            {(verdict.userId ? verdict.warnings : [verdict.message]).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
    </Form>
  );
}
