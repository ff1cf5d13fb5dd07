import { useState } from "react";
import { Input, SearchField } from "react-aria-components";
import { useAddressParams } from "../../address-params";
import { useInvitations, useMembers, type Member, type Removal } from "../../api/members";
import { rowsOf } from "../../api/pages";
import { useMay, useSession } from "../../api/session";
import { Button } from "../../components/button";
import { Facts } from "../../components/facts";
import { Icon } from "../../components/icon";
import { MenuButton } from "../../components/menu-button";
import { More } from "../../components/more";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { useSearchText } from "../../components/search-text";
import { Empty, Failed, Loading } from "../../components/states";
import { relativeTime, useTexts } from "../../i18n";
import { showName } from "../../names";
import { useScreenActions } from "../../shell/screen-actions";
import { Invitations } from "./invitations";
import { InviteDialog, LinkDialog, RemoveDialog, RoleDialog } from "./member-dialogs";
import field from "../../components/field.module.css";
import filters from "../sources/filters.module.css";
import styles from "./workspace.module.css";

type Step = "role" | "link" | "remove";

const fewPeople = 10; // that need no search

/** The people of the company, and those who are invited. */
export default function MembersPage() {
  const { t } = useTexts();
  const mayRead = useMay("members:read");
  const mayWrite = useMay("members:write");
  const [query, setQuery] = useAddressParams();
  const words = query.get("query") ?? "";
  const members = useMembers(mayRead, words);
  const invitations = useInvitations(mayRead, words);
  const [isInviting, setInviting] = useState(false);
  const [asked, setAsked] = useState<{ step: Step; member: Member }>();
  const [removed, setRemoved] = useState<{ member: Member; result: Removal }>();
  const rows = rowsOf(members.data);
  const invited = rowsOf(invitations.data);
  const hasSearch = useHasBeen(words !== "" || [rows, invited].some((list) => list && list.length > fewPeople));
  const close = () => setAsked(undefined);
  const of = (step: Step) => (asked?.step === step ? asked.member : null);
  const open = () => setInviting(true);
  useScreenActions(mayWrite ? [{ id: "invite", icon: "plus", name: t("members.inviteTitle"), run: open }] : []);
  const add = (
    <Button kind="primary" icon="plus" onPress={open}>
      {t("members.invite")}
    </Button>
  );
  return (
    <Page title={t("members.title")} actions={mayWrite && add}>
      <RoleNote needs="members:read" note="role.members" />
      <Removed removed={removed} />
      {mayRead && hasSearch && (
        <Search
          words={words}
          found={rows && invited && !members.hasNextPage && !invitations.hasNextPage ? rows.length + invited.length : null}
          onSearch={(text) => setQuery(text ? { query: text } : {}, { replace: true })}
        />
      )}
      {mayRead && members.isPending && <Loading rows={4} />}
      {members.isError && !rows && <Failed error={members.error} onRetry={() => void members.refetch()} />}
      {rows && (
        <section className={styles.group} aria-labelledby="people">
          <h2 id="people">{t("members.people")}</h2>
          {rows.length === 0 && !members.hasNextPage && <p className={styles.detail}>{t("members.noMatch")}</p>}
          {rows.length > 0 && (
            <ul>
              {rows.map((member) => (
                <Row key={member.userId} member={member} onAsk={(step) => setAsked({ step, member })} />
              ))}
            </ul>
          )}
          <More list={members} />
        </section>
      )}
      {rows && <Invitations list={invitations} isSearch={words !== ""} />}
      {rows?.length === 1 && invited?.length === 0 && !words && (
        <Empty icon="users" title={t("members.alone")} text={t("members.aloneText")}>
          {mayWrite && add}
        </Empty>
      )}
      <InviteDialog isOpen={isInviting} onClose={() => setInviting(false)} />
      <RoleDialog member={of("role")} onClose={close} />
      <LinkDialog member={of("link")} onClose={close} />
      <RemoveDialog
        member={of("remove")}
        onClose={close}
        onDone={(member, result) => {
          setRemoved({ member, result });
          close();
        }}
      />
    </Page>
  );
}

/** Reports whether a condition is true, or has been while the screen is open. */
function useHasBeen(isTrue: boolean): boolean {
  const [hasBeen, setHasBeen] = useState(isTrue);
  if (isTrue && !hasBeen) setHasBeen(true);
  return hasBeen || isTrue;
}

interface SearchProps {
  words: string;
  /** How many there are; null while that is not known. */
  found: number | null;
  onSearch: (text: string) => void;
}

/** Looks for members and invitations. It stays where few are found, so that the focus does. */
function Search({ words, found, onSearch }: SearchProps) {
  const { t } = useTexts();
  const [text, setText] = useSearchText(words, onSearch);
  return (
    <div className={filters.filters} role="search">
      <SearchField aria-label={t("members.search")} value={text} onChange={setText} maxLength={200} className={filters.search!}>
        <Icon name="search" />
        <Input className={field.input!} placeholder={t("members.search")} />
      </SearchField>
      <p role="status" className={`${styles.detail} ${styles.result}`}>
        {words && found !== null && t("members.found", { count: found })}
      </p>
    </div>
  );
}

/** Says what became of the work of a member who was removed. */
function Removed({ removed }: { removed: { member: Member; result: Removal } | undefined }) {
  const { t } = useTexts();
  if (!removed) return null;
  const { unassigned, reassigned, rules } = removed.result;
  return (
    <div role="status" className={styles.outcome}>
      <p>{t("members.removed", { name: showName(removed.member.name, t) })}</p>
      {reassigned > 0 && <p>{t("members.reassigned", { count: reassigned })}</p>}
      {unassigned > 0 && <p>{t("members.unassigned", { count: unassigned })}</p>}
      {rules.length > 0 && <p>{t("members.rules", { count: rules.length })}</p>}
    </div>
  );
}

function Row({ member, onAsk }: { member: Member; onAsk: (step: Step) => void }) {
  const { t, locale } = useTexts();
  const { data: session } = useSession();
  const isSelf = session?.user?.id === member.userId;
  return (
    <li className={styles.row}>
      <div className={styles.facts}>
        <div className={styles.head}>
          <h3 className={styles.name} dir="auto">
            {showName(member.name, t)}
          </h3>
          <span className={styles.badge}>{t(`members.role.${member.role}`)}</span>
          {isSelf && <span className={styles.badge}>{t("members.you")}</span>}
        </div>
        <p className={styles.detail}>
          <Facts>
            <span dir="ltr">{member.email}</span>
            {member.lastSeenAt ? t("members.seen", { when: relativeTime(member.lastSeenAt, locale) }) : t("members.neverSeen")}
            {member.signsInBy.map((way) => (
              <span key={way}>{t(`members.way.${way}`)}</span>
            ))}
            {member.secondStep && t("members.secondStep")}
            {member.signsInBy.length === 0 && t("members.noWay")}
          </Facts>
        </p>
        {member.lastOwner && <p className={styles.detail}>{t("members.lastOwner")}</p>}
      </div>
      <Actions member={member} onAsk={onAsk} />
    </li>
  );
}

/** What the person may do with a member. An owner is for owners, and the last one stays. */
function Actions({ member, onAsk }: { member: Member; onAsk: (step: Step) => void }) {
  const { t } = useTexts();
  const mayWrite = useMay("members:write");
  const mayOwners = useMay("owners:manage");
  if (!mayWrite || (member.role === "owner" && !mayOwners)) return null;
  const isLast = member.lastOwner;
  const actions = [
    ...(isLast ? [] : [{ id: "role", icon: "user", name: t("members.changeRole") } as const]),
    { id: "link", icon: "log-in", name: t("members.makeLink") } as const,
    ...(isLast ? [] : [{ id: "remove", icon: "trash", name: t("members.remove") } as const]),
  ];
  return (
    <MenuButton<Step> isIcon icon="ellipsis" label={t("members.more", { name: showName(member.name, t) })} actions={actions} onAction={onAsk} />
  );
}
