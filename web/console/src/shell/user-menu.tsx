import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from "react-aria-components";
import { signOut, useSessionChange, type Membership, type User } from "../api/session";
import { Icon } from "../components/icon";
import { leaveScreen } from "../components/unsaved";
import { useTexts } from "../i18n";
import menu from "../components/menu.module.css";
import styles from "./user-menu.module.css";

interface Props {
  user: User;
  account: Membership;
  memberships: readonly Membership[];
}

/** The person's menu: their own page, their companies, and the way out. */
export function UserMenu({ user, account, memberships }: Props) {
  const { t } = useTexts();
  const changed = useSessionChange();
  const leave = () => leaveScreen(() => void signOut().finally(changed));
  return (
    <MenuTrigger>
      <Button className={styles.button!} aria-label={t("user.menu", { name: user.name || user.email })}>
        <Icon name="user" />
      </Button>
      <Popover className={menu.popover!}>
        <Menu className={menu.menu!} aria-label={t("user.menu", { name: user.name || user.email })}>
          <MenuSection>
            <Header className={menu.heading!}>{user.email}</Header>
            <MenuItem className={menu.item!} href="/me" textValue={t("me.title")}>
              <Entry icon="user" text={t("me.title")} />
            </MenuItem>
            <MenuItem className={menu.item!} onAction={leave} textValue={t("user.signOut")}>
              <Entry icon="log-out" text={t("user.signOut")} />
            </MenuItem>
          </MenuSection>
          {memberships.length > 1 && (
            <MenuSection>
              <Header className={menu.heading!}>{t("user.accounts")}</Header>
              {memberships.map(({ accountId, accountName }) => (
                <MenuItem
                  key={accountId}
                  className={menu.item!}
                  textValue={accountName}
                  onAction={() => location.assign(`/console/a/${encodeURIComponent(accountId)}`)}
                >
                  <span dir="auto">{accountName}</span>
                  {accountId === account.accountId && <Icon name="check" />}
                </MenuItem>
              ))}
            </MenuSection>
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function Entry({ icon, text }: { icon: "user" | "log-out"; text: string }) {
  return (
    <span className={menu.label}>
      <Icon name={icon} />
      {text}
    </span>
  );
}
