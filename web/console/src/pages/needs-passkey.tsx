import { canUsePasskeys } from "../api/passkey";
import { addPasskey, answerWithPasskey, isOpen, serverProvider, signOut, useSessionChange, type Membership, type Session } from "../api/session";
import { Button, ButtonLink } from "../components/button";
import { CardPage } from "../components/card";
import { useTexts, type Key } from "../i18n";
import { PasskeyButton } from "./passkey-button";
import { StepUpDialog } from "./step-up";

interface Props {
  account: Membership;
  session: Session;
}

/** For who is asked for a passkey by their company: they use theirs, or add one, and are in. */
export default function NeedsPasskeyPage({ account, session }: Props) {
  const { t } = useTexts();
  const changed = useSessionChange();
  const { user, features, memberships } = session;
  const { accountId, accountName: company, passkeyStep, singleSignOnName } = account;
  const mayAdd = passkeyStep === "add";
  const needsLink = passkeyStep === "link";
  const isHere = features.passkey && canUsePasskeys();
  const provider = singleSignOnName || serverProvider(features);
  const own = singleSignOnName ? `?account=${encodeURIComponent(accountId)}` : "";
  const others = memberships.filter((one) => one !== account && isOpen(one));
  const text: Key = !isHere ? "needsPasskey.notHere" : needsLink ? "needsPasskey.link" : mayAdd ? "needsPasskey.add" : "needsPasskey.use";
  return (
    <CardPage title={t("needsPasskey.title", { company })}>
      <p role="alert">{t(text, { company })}</p>
      {isHere && user?.hasPasskey && (
        <PasskeyButton answer={() => answerWithPasskey(true)} onDone={changed} isLast={!mayAdd} hasFocus={!mayAdd} />
      )}
      {isHere && mayAdd && <PasskeyButton label="passkey.add" answer={addPasskey} onDone={changed} isLast hasFocus />}
      {isHere && !mayAdd && !needsLink && <p>{t("needsPasskey.lost")}</p>}
      {provider && (
        <ButtonLink href={`${location.origin}/console/api/v1/session/oidc${own}`} target="_self" rel="noopener">
          {t("signIn.oidc", { name: provider })}
        </ButtonLink>
      )}
      {others.map(({ accountId, accountName }) => (
        <ButtonLink key={accountId} href={`/console/a/${encodeURIComponent(accountId)}`}>
          {t("commands.account", { name: accountName })}
        </ButtonLink>
      ))}
      <Button kind="quiet" icon="log-out" onPress={() => void signOut().finally(changed)}>
        {t("user.signOut")}
      </Button>
      <StepUpDialog session={session} />
    </CardPage>
  );
}
