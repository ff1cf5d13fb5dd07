import { signOut, useSessionChange, type Membership, type User } from "../api/session";
import { Button, ButtonLink } from "../components/button";
import { CardPage } from "../components/card";
import { useTexts } from "../i18n";

/** For whoever has signed in and belongs to no company, or not any more. */
export function NoCompanyPage({ user }: { user: User }) {
  const { t } = useTexts();
  return (
    <CardPage title={t("noCompany.title")}>
      <p role="alert">{t("noCompany.text", { email: user.email })}</p>
      <SignOut />
    </CardPage>
  );
}

/** For an address in a company that the person does not belong to. */
export function UnknownCompanyPage({ user, memberships }: { user: User; memberships: readonly Membership[] }) {
  const { t } = useTexts();
  return (
    <CardPage title={t("unknownCompany.title")}>
      <p role="alert">{t("unknownCompany.text", { email: user.email })}</p>
      {memberships.map(({ accountId, accountName }) => (
        <ButtonLink key={accountId} href={`/console/a/${encodeURIComponent(accountId)}`}>
          {t("commands.account", { name: accountName })}
        </ButtonLink>
      ))}
      <SignOut />
    </CardPage>
  );
}

function SignOut() {
  const { t } = useTexts();
  const changed = useSessionChange();
  return (
    <Button kind="quiet" icon="log-out" onPress={() => void signOut().finally(changed)}>
      {t("user.signOut")}
    </Button>
  );
}
