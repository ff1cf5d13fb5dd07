import { useEffect, useRef, useState, type ReactNode } from "react";
import { APIError } from "../api/client";
import { canUsePasskeys, type Challenge } from "../api/passkey";
import { shortestPassword } from "../api/password";
import {
  redeem,
  redeemWithPasskey,
  signOut,
  useLinkState,
  useSessionChange,
  type LinkState,
  type Redeem,
  type Session,
} from "../api/session";
import { Button, ButtonLink } from "../components/button";
import { CardPage } from "../components/card";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { Radios } from "../components/radios";
import { RecoveryCodes } from "../components/recovery-codes";
import { Failed, Loading } from "../components/states";
import { useTexts, type Key } from "../i18n";
import { InsecurePage } from "./insecure";
import { SecondStepForm } from "./second-step";
import { SignInForm } from "./sign-in";

// The token is behind #, so that no server sees it. It leaves the address as soon as it is read, and stays with this
// entry of the tab's history, for when the page is read again.
const token = location.hash.slice(1) || ((history.state as { token?: string } | null)?.token ?? "");
if (location.hash.length > 1) history.replaceState({ token }, "", location.pathname + location.search);
addEventListener("hashchange", () => location.hash.length > 1 && location.reload()); // another link in this tab

/** Uses a link: the first person's, an invitation, or one for a new password. */
export default function RedeemPage({ isSetup, session }: { isSetup: boolean; session: Session }) {
  const { t } = useTexts();
  const changed = useSessionChange();
  const link = useLinkState(session.insecure ? "" : token);
  const [codes, setCodes] = useState<string[]>();
  const [asked, setAsked] = useState<Challenge>();
  const home = isSetup ? "/console/welcome" : "/console/";
  const enter = async () => {
    history.replaceState(null, "", home);
    await changed();
  };
  const isShowing = codes !== undefined;
  useEffect(() => {
    if (!isShowing) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault(); // they are shown once
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isShowing]);
  const title = isSetup ? t("setup.title") : t("redeem.title");
  if (session.insecure) return <InsecurePage />;
  if (codes) {
    return (
      <CardPage title={t("recovery.title")}>
        <RecoveryCodes codes={codes} />
        <Button kind="primary" onPress={() => void enter()}>
          {t("redeem.submit")}
        </Button>
      </CardPage>
    );
  }
  if (asked) {
    return (
      <CardPage title={t("signIn.title")}>
        <SecondStepForm asked={asked} onDone={enter} onBack={() => location.assign("/console/")} />
      </CardPage>
    );
  }
  if (!token) return <Unusable title={title}>{t("redeem.noToken")}</Unusable>;
  if (link.isError && session.user && isUsed(link.error)) return <SignedIn title={title} home={home} />;
  if (link.isError) {
    return (
      <CardPage title={title}>
        <Failed error={link.error} />
        <ButtonLink href="/console/">{t("redeem.toSignIn")}</ButtonLink>
      </CardPage>
    );
  }
  if (!link.data) return <CardPage title={title}>{<Loading rows={2} />}</CardPage>;
  if (link.data.kind === "sign-in") return <AtOnce title={title} onDone={enter} />;
  if (link.data.mustSignIn) return <Accept link={link.data} session={session} title={title} onDone={enter} />;
  return (
    <CardPage title={title} text={purpose(link.data, t)} detail={isSetup && t("firstRun.step", { step: 1, steps: 3 })}>
      <NewSignIn link={link.data} hasPasskeys={session.features.passkey} onDone={enter} onCodes={setCodes} onAsked={setAsked} />
    </CardPage>
  );
}

const isUsed = (error: unknown) => error instanceof APIError && error.code === "AUTH_INVALID_LINK";

/** For whoever reads the page of a link again that has let them in. */
function SignedIn({ title, home }: { title: string; home: string }) {
  const { t } = useTexts();
  return (
    <CardPage title={title} text={t("redeem.signedIn")}>
      <ButtonLink kind="primary" href={home}>
        {t("firstRun.done")}
      </ButtonLink>
      <ButtonLink href="/console/me">{t("redeem.toMe")}</ButtonLink>
    </CardPage>
  );
}

/** Signs in with a link that needs nothing else. */
function AtOnce({ title, onDone }: { title: string; onDone: () => Promise<unknown> }) {
  const { t } = useTexts();
  const [error, setError] = useState<unknown>(null);
  const isSent = useRef(false);
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    redeem({ token }).then(onDone).catch(setError);
  }, [onDone]);
  if (error === null) return <CardPage title={title}>{<Loading rows={1} />}</CardPage>;
  return (
    <CardPage title={title}>
      <Failed error={error} />
      <ButtonLink href="/console/">{t("redeem.toSignIn")}</ButtonLink>
    </CardPage>
  );
}

type Translate = ReturnType<typeof useTexts>["t"];

/** What becomes of whoever uses the link. */
function purpose({ kind, accountName, role }: LinkState, t: Translate): string {
  if (kind === "setup") return t("setup.text");
  if (kind === "reset") return t("redeem.reset");
  return t("redeem.join", { company: accountName, role: t(`redeem.role.${role}` as Key) });
}

function Unusable({ title, children }: { title: string; children: string }) {
  const { t } = useTexts();
  return (
    <CardPage title={title} text={children}>
      <ButtonLink href="/console/">{t("redeem.toSignIn")}</ButtonLink>
    </CardPage>
  );
}

interface AcceptProps {
  link: LinkState;
  session: Session;
  title: string;
  onDone: () => Promise<unknown>;
}

/** Has whoever has a sign-in already accept an invitation with it. */
function Accept({ link, session, title, onDone }: AcceptProps) {
  const { t } = useTexts();
  const changed = useSessionChange();
  const { user } = session;
  const isInvited = user?.email.toLowerCase() === link.email.toLowerCase();
  let content: ReactNode;
  if (!user) {
    content = <SignInForm features={session.features} onDone={changed} />;
  } else if (!isInvited) {
    content = <Button onPress={() => void signOut().finally(changed)}>{t("user.signOut")}</Button>;
  } else if (session.memberships.some(({ needsOtherSignIn }) => needsOtherSignIn)) {
    content = (
      <>
        <p role="alert">{t("error.otherSignIn")}</p>
        <Button onPress={() => void signOut().finally(changed)}>{t("user.signOut")}</Button>
      </>
    );
  } else {
    content = (
      <Form onSubmit={() => redeem({ token }).then(onDone)}>
        {(isPending) => (
          <Button type="submit" kind="primary" isPending={isPending}>
            {t("redeem.accept")}
          </Button>
        )}
      </Form>
    );
  }
  return (
    <CardPage title={title} text={purpose(link, t)}>
      {!isInvited && <p>{t("redeem.mustSignIn", { email: link.email })}</p>}
      {content}
    </CardPage>
  );
}

interface NewSignInProps {
  link: LinkState;
  hasPasskeys: boolean;
  onDone: () => Promise<unknown>;
  onCodes: (codes: string[]) => void;
  onAsked: (asked: Challenge) => void;
}

/** Asks a new person for what is missing, and how they will sign in. */
function NewSignIn({ link, hasPasskeys, onDone, onCodes, onAsked }: NewSignInProps) {
  const { t } = useTexts();
  const canHavePasskey = link.kind !== "reset" && hasPasskeys && canUsePasskeys();
  const isChoice = canHavePasskey && !link.noPasswords;
  const [way, setWay] = useState<"password" | "passkey">(link.noPasswords ? "passkey" : "password");
  const send = async (values: Record<string, string>) => {
    const filled = Object.entries(values).filter(([, value]) => value !== "");
    const body = { token, ...Object.fromEntries(filled) } satisfies Redeem;
    if (way === "password") {
      const { secondStep } = await redeem(body);
      return secondStep ? onAsked(secondStep) : onDone();
    }
    const { recoveryCodes } = await redeemWithPasskey(body);
    return recoveryCodes ? onCodes(recoveryCodes) : onDone();
  };
  const ways = [
    { id: "password", name: t("field.password") },
    { id: "passkey", name: t("passkey.onDevice") },
  ] as const;
  return (
    <Form onSubmit={send}>
      {(isPending) => (
        <>
          <Fields link={link} />
          {isChoice && <Radios label={t("redeem.how")} value={way} options={ways} onChange={setWay} />}
          {way === "password" && <NewPassword hasFocus={!link.needsName} />}
          {link.noPasswords && <p>{t("redeem.noPasswords", { company: link.accountName })}</p>}
          {link.kind !== "reset" && !canHavePasskey && <p>{t("passkey.unavailable")}</p>}
          <Button type="submit" kind="primary" isPending={isPending} isDisabled={link.noPasswords && !canHavePasskey}>
            {t(link.kind === "invitation" ? "redeem.accept" : "redeem.submit")}
          </Button>
        </>
      )}
    </Form>
  );
}

function Fields({ link }: { link: LinkState }) {
  const { t } = useTexts();
  return (
    <>
      {link.needsName && <Field name="name" label={t("field.name")} autoComplete="name" isRequired autoFocus />}
      {link.email ? (
        <Field label={t("field.email")} value={link.email} autoComplete="username" isReadOnly />
      ) : (
        <Field name="email" type="email" label={t("field.email")} autoComplete="username" isRequired />
      )}
      {link.needsCompany && (
        <Field name="company" label={t("field.company")} autoComplete="organization" isRequired />
      )}
    </>
  );
}

function NewPassword({ hasFocus }: { hasFocus: boolean }) {
  const { t } = useTexts();
  return (
    <Field
      name="password"
      type="password"
      label={t("field.password")}
      hint={t("field.passwordHint", { count: shortestPassword })}
      autoComplete="new-password"
      minLength={shortestPassword}
      isRequired
      autoFocus={hasFocus}
    />
  );
}
