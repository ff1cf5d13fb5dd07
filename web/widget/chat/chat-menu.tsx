import { useState } from "preact/hooks";
import { useChat } from "./context";
import { locales } from "./i18n";
import { lazy } from "./lazy";
import { History, loadConversations } from "./menu/history";
import { Languages } from "./menu/languages";
import { MenuButton, type MenuItem } from "./menu/menu";
import { Panel } from "./menu/panel";
import type { Translate } from "./translate";

// With the forms, which are as large as all else that the menu opens.
const HandoverPanel = lazy(async () => (await import("./handover/handover")).HandoverPanel);

type Sheet = "history" | "languages" | "person";

interface ChatMenuProps {
  className: string | undefined;
  /** The click or the key for which the menu was loaded. */
  openedBy: Event;
}

/** The menu of the chat, which is open as it comes, and what it opens. */
export function ChatMenu({ className, openedBy }: ChatMenuProps) {
  const chat = useChat();
  const t = chat.texts.t as Translate;
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const { hasSound } = chat.store.kept.value;
  const items: MenuItem[] = [{ id: "new", label: t("menu.new"), act: () => chat.reset() }];
  if (chat.visitor.value.userId !== null || chat.mode === "help") {
    items.push({ id: "history", label: t("menu.history"), act: () => setSheet("history") });
  }
  const begins = !chat.isLoading.value && chat.turns.phase.value === "idle";
  const isOngoing = chat.conversation.value ? chat.conversation.value.status === "ongoing" : begins;
  if (chat.config.features.handover && isOngoing) {
    items.push({ id: "person", label: t("menu.person"), act: () => setSheet("person") });
  }
  const switchSound = () => chat.store.set({ hasSound: !hasSound });
  items.push({ id: "sound", label: t("menu.sound"), isChecked: hasSound, act: switchSound });
  items.push({ id: "language", label: t("menu.language"), act: () => setSheet("languages") });
  const openAt = (openedBy as KeyboardEvent).key === "ArrowUp" ? "last" : "first";
  const note = chat.isKept.value ? {} : { note: t("menu.notKept") };
  return (
    <>
      <MenuButton label={t("menu.open")} items={items} className={className} openAt={openAt} {...note} />
      {sheet && <OpenSheet sheet={sheet} onClose={() => setSheet(null)} />}
    </>
  );
}

function OpenSheet({ sheet, onClose }: { sheet: Sheet; onClose: () => void }) {
  const chat = useChat();
  const t = chat.texts.t as Translate;
  const locale = chat.texts.locale.value;
  const [isFirst] = useState(chat.conversation.value === null);
  const open = (id: string) => {
    chat.openConversation(id);
    onClose();
  };
  const choose = (tag: string) => {
    chat.setLocale(tag);
    onClose();
  };
  if (sheet === "history") {
    return (
      <Panel title={t("menu.history")} t={t} onClose={onClose}>
        <History t={t} locale={locale} current={chat.conversation.value?.id ?? null} load={loadConversations(chat.api)} onOpen={open} />
      </Panel>
    );
  }
  if (sheet === "languages") {
    return (
      <Panel title={t("menu.language")} t={t} onClose={onClose}>
        <Languages locales={locales} current={locale} onChoose={choose} />
      </Panel>
    );
  }
  return (
    <Panel title={t("menu.person")} t={t} onClose={onClose}>
      <HandoverPanel t={t} hasEmail={chat.config.features.email} isFirst={isFirst} ask={chat.people.ask} onClose={onClose} />
    </Panel>
  );
}
