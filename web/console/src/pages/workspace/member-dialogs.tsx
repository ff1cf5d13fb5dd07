import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeRole, invite, makeLink, removeMember, roles, type Member, type Removal, type SignInLink } from "../../api/members";
import { useMay, useMembership, useSession, type Role } from "../../api/session";
import { Check } from "../../components/check";
import { Dialog } from "../../components/dialog";
import { Field } from "../../components/field";
import { RadioChoice } from "../../components/radio-choice";
import { useTexts } from "../../i18n";
import { Ask } from "./ask";
import { LinkShown } from "./link";
import styles from "./workspace.module.css";

interface RoleProps {
  value: Role;
  onChange: (role: Role) => void;
}

/** The roles that the person may give, each with what it may do. */
function RoleField({ value, onChange }: RoleProps) {
  const { t } = useTexts();
  const mayOwners = useMay("owners:manage");
  const options = roles
    .filter((role) => role !== "owner" || mayOwners)
    .map((id) => ({ id, name: t(`members.role.${id}`), text: t(`members.may.${id}`) }));
  return <RadioChoice name="role" label={t("members.roleLabel")} value={value} options={options} onChange={onChange} />;
}

/** Invites somebody, and shows the link where none is mailed. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTexts();
  const [link, setLink] = useState<SignInLink>();
  const close = () => {
    setLink(undefined);
    onClose();
  };
  return (
    <Dialog title={t("members.inviteTitle")} isOpen={isOpen} onClose={close} isDismissable={!link}>
      {link ? <LinkShown link={link} onClose={close} /> : <InviteForm onDone={setLink} onClose={close} />}
    </Dialog>
  );
}

function InviteForm({ onDone, onClose }: { onDone: (link: SignInLink) => void; onClose: () => void }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const { data: session } = useSession();
  const [role, setRole] = useState<Role>("agent");
  const send = async ({ email = "" }: Record<string, string>) => {
    const link = await invite(email.trim(), role);
    await client.invalidateQueries({ queryKey: ["invites"] });
    onDone(link);
  };
  return (
    <Ask submit={t("members.invite")} onSubmit={send} onClose={onClose}>
      <Field
        name="email"
        type="email"
        label={t("field.email")}
        hint={t(session?.features.mail ? "members.willMail" : "members.willShow")}
        autoComplete="off"
        isRequired
        autoFocus
      />
      <RoleField value={role} onChange={setRole} />
    </Ask>
  );
}

interface MemberProps {
  /** The dialog is open if there is one. */
  member: Member | null;
  onClose: () => void;
}

/** Gives a member another role. */
export function RoleDialog({ member, onClose }: MemberProps) {
  const { t } = useTexts();
  return (
    <Dialog title={t("members.roleNamed", { name: member?.name ?? "" })} isOpen={member !== null} onClose={onClose}>
      {member && <RoleForm member={member} onClose={onClose} />}
    </Dialog>
  );
}

function RoleForm({ member, onClose }: MemberProps & { member: Member }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const { data: session } = useSession();
  const [role, setRole] = useState(member.role);
  const isSelf = session?.user?.id === member.userId;
  const save = async () => {
    if (role !== member.role) await changeRole(member.userId, role);
    onClose();
    if (isSelf) await client.refetchQueries({ queryKey: ["session"] }); // what the person may do is another now
    await client.invalidateQueries({ queryKey: ["members"] });
  };
  return (
    <Ask submit={t("unsaved.save")} onSubmit={save} onClose={onClose}>
      {isSelf && <p className={styles.warning}>{t("members.ownRole")}</p>}
      <RoleField value={role} onChange={setRole} />
    </Ask>
  );
}

/** Makes a link by which a member sets a new password. */
export function LinkDialog({ member, onClose }: MemberProps) {
  const { t } = useTexts();
  const [link, setLink] = useState<SignInLink>();
  const close = () => {
    setLink(undefined);
    onClose();
  };
  return (
    <Dialog title={t("members.linkNamed", { name: member?.name ?? "" })} isOpen={member !== null} onClose={close} isDismissable={!link}>
      {link && <LinkShown link={link} onClose={close} />}
      {member && !link && (
        <Ask submit={t("members.makeLink")} onSubmit={() => makeLink(member.userId).then(setLink)} onClose={close}>
          <p>{t("members.linkText", { email: member.email })}</p>
          <p>{t("members.linkKeeps")}</p>
        </Ask>
      )}
    </Dialog>
  );
}

interface RemoveProps extends MemberProps {
  onDone: (member: Member, result: Removal) => void;
}

/** Asks before a member goes, and what becomes of their tickets. */
export function RemoveDialog({ member, onClose, onDone }: RemoveProps) {
  const { t } = useTexts();
  return (
    <Dialog role="alertdialog" title={t("members.removeNamed", { name: member?.name ?? "" })} isOpen={member !== null} onClose={onClose}>
      {member && <RemoveForm member={member} onClose={onClose} onDone={onDone} />}
    </Dialog>
  );
}

function RemoveForm({ member, onClose, onDone }: RemoveProps & { member: Member }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const membership = useMembership();
  const [reassign, setReassign] = useState(true);
  const remove = async () => {
    const result = await removeMember(member.userId, reassign);
    onDone(member, result);
    await Promise.all(["members", "invites"].map((word) => client.invalidateQueries({ queryKey: [word] })));
  };
  return (
    <Ask submit={t("members.remove")} isDangerous onSubmit={remove} onClose={onClose}>
      <p>{t("members.removeText", { company: membership?.accountName ?? "" })}</p>
      <Check isSelected={reassign} onChange={setReassign}>
        {t("members.reassign")}
      </Check>
    </Ask>
  );
}
