import { Button } from "react-aria-components";
import { useRecentConversations } from "../../api/playground";
import { Dialog } from "../../components/dialog";
import { Facts } from "../../components/facts";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import styles from "./recent.module.css";

interface Props {
  agent: string;
  isOpen: boolean;
  onClose: () => void;
  onOpen: (conversation: string) => void;
}

/** The newest conversations of the playground, to be opened again. */
export function RecentDialog({ agent, isOpen, onClose, onOpen }: Props) {
  const { t, locale } = useTexts();
  const recent = useRecentConversations(agent, isOpen);
  const time = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const open = (id: string) => {
    onOpen(id);
    onClose();
  };
  return (
    <Dialog title={t("playground.recent")} isOpen={isOpen} onClose={onClose}>
      <p>{t("playground.recentText")}</p>
      {recent.isPending && <Loading rows={3} />}
      {recent.isError && <Failed error={recent.error} onRetry={() => void recent.refetch()} />}
      {recent.data?.length === 0 && <p className={styles.none}>{t("playground.recentNone")}</p>}
      <ul className={styles.list}>
        {recent.data?.map(({ conversationId, question, messages, lastActivity }) => (
          <li key={conversationId}>
            <Button className={styles.row!} onPress={() => open(conversationId)}>
              <span className={styles.question} dir="auto">
                {question || t("playground.recentEmpty")}
              </span>
              <Facts>
                <time dateTime={lastActivity}>{time.format(new Date(lastActivity))}</time>
                {t("playground.messages", { count: messages })}
              </Facts>
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
