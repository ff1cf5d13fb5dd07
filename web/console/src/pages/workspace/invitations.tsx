import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { renewInvitation, withdrawInvitation, type Invitation, type SignInLink, type useInvitations } from "../../api/members";
import { rowsOf } from "../../api/pages";
import { useMay } from "../../api/session";
import { Dialog } from "../../components/dialog";
import { Facts } from "../../components/facts";
import { MenuButton } from "../../components/menu-button";
import { More } from "../../components/more";
import { Failed, Loading } from "../../components/states";
import { formatDate, useTexts } from "../../i18n";
import { Ask } from "./ask";
import { LinkShown } from "./link";
import styles from "./workspace.module.css";

type Step = "renew" | "withdraw";

interface Props {
  list: ReturnType<typeof useInvitations>;
  /** Whether the list has only what a search has found. */
  isSearch: boolean;
}

/** Who is invited and has not answered yet. */
export function Invitations({ list, isSearch }: Props) {
  const { t } = useTexts();
  const [asked, setAsked] = useState<{ step: Step; invitation: Invitation }>();
  const rows = rowsOf(list.data);
  const close = () => setAsked(undefined);
  const of = (step: Step) => (asked?.step === step ? asked.invitation : null);
  return (
    <section className={styles.group} aria-labelledby="invitations">
      <h2 id="invitations">{t("members.invitations")}</h2>
      {list.isPending && <Loading rows={1} />}
      {list.isError && !rows && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {rows?.length === 0 && !list.hasNextPage && (
        <p className={styles.detail}>{t(isSearch ? "members.noInvitationMatch" : "members.noInvitations")}</p>
      )}
      {rows && rows.length > 0 && (
        <ul>
          {rows.map((invitation) => (
            <Row key={invitation.invitationId} invitation={invitation} onAsk={(step) => setAsked({ step, invitation })} />
          ))}
        </ul>
      )}
      <More list={list} />
      <RenewDialog invitation={of("renew")} onClose={close} />
      <WithdrawDialog invitation={of("withdraw")} onClose={close} />
    </section>
  );
}

function Row({ invitation, onAsk }: { invitation: Invitation; onAsk: (step: Step) => void }) {
  const { t, locale } = useTexts();
  const mayWrite = useMay("members:write");
  const mayOwners = useMay("owners:manage");
  const { email, role, invitedBy, expiresAt } = invitation;
  const actions = [
    { id: "renew", icon: "refresh-cw", name: t("members.renew") },
    { id: "withdraw", icon: "trash", name: t("members.withdraw") },
  ] as const;
  return (
    <li className={styles.row}>
      <div className={styles.facts}>
        <div className={styles.head}>
          <h3 className={styles.name} dir="ltr">
            {email}
          </h3>
          <span className={styles.badge}>{t(`members.role.${role}`)}</span>
        </div>
        <p className={styles.detail}>
          <Facts>
            {t("members.invitedBy", { who: invitedBy === "operator" ? t("members.operator") : invitedBy })}
            {t("members.until", { when: formatDate(expiresAt, locale) })}
          </Facts>
        </p>
      </div>
      {mayWrite && (role !== "owner" || mayOwners) && (
        <MenuButton<Step> isIcon icon="ellipsis" label={t("members.more", { name: email })} actions={actions} onAction={onAsk} />
      )}
    </li>
  );
}

interface DialogProps {
  /** The dialog is open if there is one. */
  invitation: Invitation | null;
  onClose: () => void;
}

function RenewDialog({ invitation, onClose }: DialogProps) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [link, setLink] = useState<SignInLink>();
  const close = () => {
    setLink(undefined);
    onClose();
  };
  const renew = async (id: string) => {
    setLink(await renewInvitation(id));
    await client.invalidateQueries({ queryKey: ["invites"] });
  };
  return (
    <Dialog title={t("members.renewNamed", { email: invitation?.email ?? "" })} isOpen={invitation !== null} onClose={close} isDismissable={!link}>
      {link && <LinkShown link={link} onClose={close} />}
      {invitation && !link && (
        <Ask submit={t("members.renew")} onSubmit={() => renew(invitation.invitationId)} onClose={close}>
          <p>{t("members.renewText")}</p>
        </Ask>
      )}
    </Dialog>
  );
}

function WithdrawDialog({ invitation, onClose }: DialogProps) {
  const { t } = useTexts();
  const client = useQueryClient();
  const withdraw = async (id: string) => {
    await withdrawInvitation(id);
    onClose();
    await client.invalidateQueries({ queryKey: ["invites"] });
  };
  return (
    <Dialog
      role="alertdialog"
      title={t("members.withdrawNamed", { email: invitation?.email ?? "" })}
      isOpen={invitation !== null}
      onClose={onClose}
    >
      {invitation && (
        <Ask submit={t("members.withdraw")} isDangerous onSubmit={() => withdraw(invitation.invitationId)} onClose={onClose}>
          <p>{t("members.withdrawText", { email: invitation.email })}</p>
        </Ask>
      )}
    </Dialog>
  );
}
