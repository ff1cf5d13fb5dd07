import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { APIError } from "../api/client";
import { shortestPassword } from "../api/password";
import { changePassword, updateMe, useMe, useSession, type User } from "../api/session";
import { Button } from "../components/button";
import { Choice } from "../components/choice";
import { Faults } from "../components/fault";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { Page, Section } from "../components/page";
import { Failed, Loading } from "../components/states";
import { UnsavedBar } from "../components/unsaved";
import { Toggle } from "../components/toggle";
import { locales, useTexts } from "../i18n";
import { densities, setLooks, themes, useLooks, type Theme } from "../looks";
import { Notifications } from "./notifications";
import { Passkeys, Recovery } from "./passkeys";
import { SecondStepSetting } from "./second-step";
import { Sessions } from "./sessions";
import { SingleSignOn } from "./single-sign-on";

/** The person's own page. */
export default function MePage() {
  const { t } = useTexts();
  const me = useMe();
  return (
    <Page title={t("me.title")} width="narrow">
      {me.isPending && <Loading />}
      {me.isError && <Failed error={me.error} onRetry={() => void me.refetch()} />}
      {me.data && (
        <>
          <Profile me={me.data} />
          <LooksSection />
          <Notifications me={me.data} />
          <OwnWays me={me.data} />
          <Sessions />
        </>
      )}
    </Page>
  );
}

/** How the person signs in. What leads into several companies is not changed by whom the provider of one has vouched for. */
function OwnWays({ me }: { me: User }) {
  const { t } = useTexts();
  const { data: session } = useSession();
  if (session?.memberships.some(({ needsOtherSignIn }) => needsOtherSignIn)) {
    return (
      <Section title={t("me.ways")}>
        <p>{t("error.otherSignIn")}</p>
      </Section>
    );
  }
  return (
    <>
      <Password me={me} />
      <Passkeys />
      <SecondStepSetting me={me} />
      <Recovery />
      <SingleSignOn me={me} />
    </>
  );
}

type Draft = Pick<User, "name" | "locale">;

function Profile({ me }: { me: User }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [change, setChange] = useState<Partial<Draft>>({});
  const [error, setError] = useState<unknown>(null);
  const [isSaving, setSaving] = useState(false);
  const faults = useMemo(() => ({ said: error instanceof APIError ? error.details : {}, claim: () => () => {} }), [error]);
  const shown = { ...me, ...change };
  const set = (part: Partial<Draft>) => {
    const all = Object.entries({ ...change, ...part });
    setChange(Object.fromEntries(all.filter(([key, value]) => value !== (me[key as keyof Draft] ?? ""))));
  };
  const save = async () => {
    setSaving(true);
    setError(null);
    try {
      await updateMe(change);
      await Promise.all(["me", "session"].map((key) => client.refetchQueries({ queryKey: [key], exact: true })));
      setChange((now) => Object.fromEntries(Object.entries(now).filter(([key, value]) => value !== change[key as keyof Draft])));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setSaving(false);
    }
  };
  const nameOf = (tag: string) => new Intl.DisplayNames(tag, { type: "language" }).of(tag) ?? tag;
  const languages = locales.map((id) => ({ id, name: nameOf(id), lang: id }));
  return (
    <>
      <Section title={t("me.profile")}>
        {error !== null && <Failed error={error} />}
        <Faults value={faults}>
          <Field name="name" label={t("field.name")} value={shown.name} onChange={(name) => set({ name })} autoComplete="name" />
        </Faults>
        <Field label={t("field.email")} value={me.email} isReadOnly />
        <Choice
          label={t("me.language")}
          value={shown.locale ?? ""}
          options={[{ id: "", name: t("me.languageOfBrowser") }, ...languages]}
          onChange={(locale) => set({ locale })}
        />
      </Section>
      <UnsavedBar
        count={Object.keys(change).length}
        isSaving={isSaving}
        onDiscard={() => {
          setError(null);
          setChange({});
        }}
        onSave={() => void save()}
      />
    </>
  );
}

function LooksSection() {
  const { t } = useTexts();
  const { theme, density, hasLetterKeys } = useLooks();
  const [error, setError] = useState<unknown>(null);
  const change = (theme: Theme) => {
    setLooks({ theme });
    updateMe({ theme: theme === "system" ? "" : theme }).then(() => setError(null), setError);
  };
  return (
    <Section title={t("me.looks")}>
      {error !== null && <Failed error={error} onRetry={() => change(theme)} />}
      <Choice
        label={t("me.theme")}
        value={theme}
        options={themes.map((id) => ({ id, name: t(`theme.${id}`) }))}
        onChange={change}
      />
      <Choice
        label={t("me.density")}
        value={density}
        options={densities.map((id) => ({ id, name: t(`density.${id}`) }))}
        onChange={(density) => setLooks({ density })}
      />
      <Toggle
        isSelected={hasLetterKeys}
        onChange={(isOn) => setLooks({ hasLetterKeys: isOn })}
      >
        {t("me.letterKeys")}
      </Toggle>
    </Section>
  );
}

function Password({ me }: { me: User }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [changes, setChanges] = useState(0); // a new form after each, with empty fields
  const send = async ({ present = "", password = "" }: Record<string, string>) => {
    await changePassword(present, password);
    await client.invalidateQueries({ queryKey: ["me"] });
    setChanges(changes + 1);
  };
  return (
    <Section title={t("me.password")}>
      {changes > 0 && <p role="status">{t("me.passwordChanged")}</p>}
      <Form key={changes} onSubmit={send}>
        {(isPending) => (
          <>
            <input type="hidden" autoComplete="username" value={me.email} readOnly />
            {me.hasPassword && (
              <Field
                name="present"
                type="password"
                label={t("me.presentPassword")}
                autoComplete="current-password"
                isRequired
              />
            )}
            <Field
              name="password"
              type="password"
              label={t("field.newPassword")}
              hint={t("field.passwordHint", { count: shortestPassword })}
              autoComplete="new-password"
              minLength={shortestPassword}
              isRequired
            />
            <div>
              <Button type="submit" isPending={isPending}>
                {t("me.changePassword")}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Section>
  );
}
