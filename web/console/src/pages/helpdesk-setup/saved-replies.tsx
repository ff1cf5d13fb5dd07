import { useRef, useState } from "react";
import { addSavedReply, changeSavedReply, removeSavedReply, useSavedChange, useSavedReplies, type SavedReply } from "../../api/saved";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { MenuButton } from "../../components/menu-button";
import { Empty, Failed, Loading } from "../../components/states";
import { TextArea } from "../../components/text-area";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { placeholders } from "../inbox/placeholders";
import styles from "./setup.module.css";

type Asked = { act: "change" | "remove"; reply: SavedReply } | "new" | null;

/** The texts that members write to customers with, with all agents of the company. */
export function SavedReplies() {
  const { t } = useTexts();
  const mayWrite = useMay("helpdesk:write");
  const replies = useSavedReplies(true);
  const [asked, setAsked] = useState<Asked>(null);
  const close = () => setAsked(null);
  const reply = asked === "new" || asked === null ? null : asked.reply;
  const isRemoving = asked !== "new" && asked?.act === "remove";
  return (
    <div className={styles.part}>
      <p className={styles.intro}>{t("saved.repliesIntro")}</p>
      {mayWrite && (
        <div>
          <Button icon="plus" onPress={() => setAsked("new")}>
            {t("saved.addReply")}
          </Button>
        </div>
      )}
      {replies.isPending && <Loading rows={4} />}
      {replies.isError && !replies.data && <Failed error={replies.error} onRetry={() => void replies.refetch()} />}
      {replies.data?.length === 0 && <Empty icon="scroll-text" title={t("saved.noReplies")} text={t("saved.noRepliesText")} />}
      {replies.data && replies.data.length > 0 && (
        <ul className={styles.rows} aria-label={t("saved.replies")}>
          {replies.data.map((one) => (
            <Row key={one.savedReplyId} reply={one} mayWrite={mayWrite} onAction={(act) => setAsked({ act, reply: one })} />
          ))}
        </ul>
      )}
      <Dialog title={t(reply ? "saved.changeReply" : "saved.addReply")} isOpen={asked !== null && !isRemoving} onClose={close}>
        <ReplyForm reply={reply} onClose={close} />
      </Dialog>
      <Dialog role="alertdialog" title={t("saved.removeReply")} isOpen={isRemoving} onClose={close}>
        {reply && <RemoveQuestion reply={reply} onClose={close} />}
      </Dialog>
    </div>
  );
}

interface RowProps {
  reply: SavedReply;
  mayWrite: boolean;
  onAction: (act: "change" | "remove") => void;
}

function Row({ reply: { name, text }, mayWrite, onAction }: RowProps) {
  const { t } = useTexts();
  const shown = showName(name, t);
  return (
    <li className={styles.row}>
      <div className={styles.facts}>
        <p className={styles.name} dir="auto">
          {shown}
        </p>
        <p className={styles.detail} dir="auto">
          {text}
        </p>
      </div>
      {mayWrite && (
        <MenuButton
          isIcon
          icon="ellipsis"
          label={t("tickets.setup.more", { name: shown })}
          actions={[
            { id: "change", icon: "pencil", name: t("tickets.setup.change") },
            { id: "remove", icon: "trash", name: t("tickets.setup.remove") },
          ]}
          onAction={onAction}
        />
      )}
    </li>
  );
}

function ReplyForm({ reply, onClose }: { reply: SavedReply | null; onClose: () => void }) {
  const { t } = useTexts();
  const refresh = useSavedChange("savedReplies");
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(reply?.text ?? "");
  const insert = (words: string) => {
    const from = area.current?.selectionStart ?? text.length;
    setText(text.slice(0, from) + words + text.slice(area.current?.selectionEnd ?? from));
    setTimeout(() => {
      area.current?.focus();
      area.current?.setSelectionRange(from + words.length, from + words.length);
    });
  };
  const send = async ({ name = "" }: Record<string, string>) => {
    await (reply ? changeSavedReply(reply.savedReplyId, { name, text }) : addSavedReply({ name, text }));
    onClose();
    await refresh();
  };
  return (
    <Form onSubmit={send}>
      {(isPending) => (
        <>
          <Field name="name" label={t("saved.name")} defaultValue={reply?.name ?? ""} maxLength={100} isRequired autoFocus />
          <TextArea
            name="text"
            label={t("saved.text")}
            hint={t("saved.textHint", { example: "{{customer.name|…}}" })}
            value={text}
            onChange={setText}
            maxLength={10_000}
            isRequired
            rows={6}
            areaRef={area}
          />
          <div role="group" aria-label={t("saved.insert")} className={styles.placeholders}>
            {placeholders.map((name) => (
              <Button key={name} kind="quiet" icon="plus" onPress={() => insert(`{{${name}}}`)}>
                {t(`saved.placeholder.${name}`)}
              </Button>
            ))}
          </div>
          <Actions>
            <Button onPress={onClose}>{t("dialog.cancel")}</Button>
            <Button kind="primary" type="submit" isPending={isPending}>
              {t("tickets.setup.save")}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}

function RemoveQuestion({ reply, onClose }: { reply: SavedReply; onClose: () => void }) {
  const { t } = useTexts();
  const refresh = useSavedChange("savedReplies");
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const remove = async () => {
    setPending(true);
    setError(null);
    try {
      await removeSavedReply(reply.savedReplyId);
      onClose();
      await refresh();
    } catch (thrown) {
      setError(thrown);
      setPending(false);
    }
  };
  return (
    <>
      <p>{t("saved.removeReplyText", { name: showName(reply.name, t) })}</p>
      {error !== null && <Failed error={error} />}
      <Actions>
        <Button autoFocus onPress={onClose}>
          {t("dialog.cancel")}
        </Button>
        <Button kind="primary" isPending={isPending} onPress={() => void remove()}>
          {t("tickets.setup.remove")}
        </Button>
      </Actions>
    </>
  );
}
