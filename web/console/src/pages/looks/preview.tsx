// The real chat frame, with looks that are not saved. It is sandboxed without an origin: a script in it could reach
// nothing of the console. Its data come by messages, and it makes no request.
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import { previewStates, type PreviewData, type PreviewPart, type PreviewState } from "../../../../shared/preview";
import { newTheme, stageWidths, type StageLooks } from "../../../../shared/theme";
import type { Values } from "../../api/settings";
import { usePagesOrigin, usePreviewTicket } from "../../api/embed";
import { Choice } from "../../components/choice";
import { Icon } from "../../components/icon";
import { Failed, Loading } from "../../components/states";
import { Switcher } from "../../components/switcher";
import { useTexts } from "../../i18n";
import { newShownStyles } from "./fields";
import styles from "./looks.module.css";

const chatLocales = ["en", "de", "fr", "es", "pt-BR", "it", "nl", "pl", "sv", "tr", "ru", "uk", "ar", "he", "hi", "id", "vi", "ja", "ko", "zh-Hans"];

interface View {
  state: PreviewState;
  isSmall: boolean;
  scheme: "" | "light" | "dark";
  dir: "" | "ltr" | "rtl";
  locale: string;
}

interface Props {
  id: string;
  values: Values;
  name: string;
  part: PreviewPart;
}

export function Preview({ id, values, name, part }: Props) {
  const { t, locale } = useTexts();
  const ticket = usePreviewTicket(id);
  const origin = usePagesOrigin(id);
  const own = chatLocales.find((tag) => tag === locale) ?? "en";
  const [view, setView] = useState<View>({ state: "fresh", isSmall: false, scheme: "", dir: "", locale: own });
  const change = (part: Partial<View>) => setView((before) => ({ ...before, ...part }));
  const data = useData({ values, name, part }, view);
  return (
    <section className={styles.preview} aria-label={t("looks.preview")}>
      <Switches view={view} theme={String(values[part === "centerStage" ? "centerStage.theme" : "chat.theme"])} onChange={change} />
      <div className={styles.stage}>
        {ticket.isPending && <Loading />}
        {ticket.isError && <Failed error={ticket.error} onRetry={() => void ticket.refetch()} />}
        {ticket.data && <Frame address={ticket.data.address} data={data} />}
        {part === "chat" && <Launcher looks={data.styles.chat} icon={ticket.data?.icon && origin + ticket.data.icon} />}
      </div>
    </section>
  );
}

// useData puts together what the frame is told.
function useData({ values, name, part }: Omit<Props, "id">, view: View): PreviewData {
  const { t } = useTexts();
  return useMemo(() => {
    const { chat, centerStage } = newShownStyles(values);
    const schemeOf = (theme: unknown) => view.scheme || (theme === "dark" ? "dark" : "light");
    const seen = (looks: Readonly<Record<string, unknown>>) => ({ ...looks, theme: schemeOf(looks.theme) });
    return {
      part,
      state: view.state,
      styles: { chat: seen(chat), centerStage: seen(centerStage) },
      name,
      initialMessages: values.initialMessages as string[],
      suggestedMessages: values.suggestedMessages as unknown[],
      locale: view.locale,
      dir: view.dir,
      isSmall: view.isSmall,
      words: {
        question: t("looks.word.question"),
        answer: t("looks.word.answer"),
        source: t("looks.word.source"),
        quote: t("looks.word.quote"),
        person: t("looks.word.person"),
        personAnswer: t("looks.word.personAnswer"),
        file: t("looks.word.file"),
      },
    };
  }, [values, name, part, view, t]);
}

function Frame({ address, data }: { address: string; data: PreviewData }) {
  const { t } = useTexts();
  const frame = useRef<HTMLIFrameElement>(null);
  useMessages(frame, data);
  const width = data.part === "centerStage" ? String(data.styles.centerStage?.width ?? "medium") : "bubble";
  const size = data.isSmall ? styles.phone : (styles[width in stageWidths ? width : "bubble"] ?? "");
  return (
    <iframe
      ref={frame}
      title={t("looks.preview")}
      className={`${styles.frame} ${data.part === "help" && !data.isSmall ? styles.page : size}`}
      // Without an origin of its own it cannot reach this page, whatever runs in it.
      sandbox="allow-scripts allow-forms"
      referrerPolicy="no-referrer"
      src={address}
    />
  );
}

// useMessages sends the data when the frame is there, and whenever they change. The frame has no origin that could be
// named; nothing in the data is a secret.
function useMessages(frame: RefObject<HTMLIFrameElement | null>, data: PreviewData) {
  const [isReady, setReady] = useState(0);
  // Before the browser gets to the frame, which says once that it is there.
  useLayoutEffect(() => {
    const listen = (event: MessageEvent<{ type?: unknown } | null>) => {
      if (event.source !== frame.current?.contentWindow || event.data?.type !== "iframeReady") return;
      setReady((count) => count + 1);
    };
    addEventListener("message", listen);
    return () => removeEventListener("message", listen);
  }, [frame]);
  useEffect(() => {
    if (isReady > 0) frame.current?.contentWindow?.postMessage({ type: "preview", data }, "*");
  }, [frame, isReady, data]);
}

/** The button as sites have it, by the same rules. */
function Launcher({ looks, icon }: { looks: Readonly<Record<string, unknown>>; icon: string | null | undefined }) {
  const { tokens } = newTheme(looks as StageLooks);
  const side = looks.alignChatButton === "left" ? styles.first : styles.last;
  return (
    <div className={`${styles.launcher} ${side}`} aria-hidden="true">
      <span style={{ background: tokens["--chat-button-bg"], color: tokens["--chat-button-fg"] }}>
        {icon ? <img src={icon} alt="" /> : <Icon name="message-circle-question-mark" size={26} />}
      </span>
    </div>
  );
}

interface SwitchesProps {
  view: View;
  theme: string;
  onChange: (change: Partial<View>) => void;
}

function Switches({ view, theme, onChange }: SwitchesProps) {
  const { t } = useTexts();
  const language = (tag: string) => new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  return (
    <div className={styles.switches}>
      <Choice
        label={t("looks.state")}
        value={view.state}
        options={previewStates.map((id) => ({ id, name: t(`looks.state.${id}`) }))}
        onChange={(state) => onChange({ state })}
      />
      <Choice
        label={t("looks.language")}
        value={view.locale}
        options={chatLocales.map((id) => ({ id, name: language(id), lang: id }))}
        onChange={(locale) => onChange({ locale })}
      />
      <Switcher
        label={t("looks.size")}
        value={view.isSmall ? "phone" : "desktop"}
        options={[
          { id: "desktop", name: t("looks.desktop") },
          { id: "phone", name: t("looks.phone") },
        ]}
        onChange={(size) => onChange({ isSmall: size === "phone" })}
      />
      <Switcher
        label={t("looks.theme")}
        value={view.scheme || (theme === "dark" ? "dark" : "light")}
        options={[
          { id: "light", name: t("looks.light") },
          { id: "dark", name: t("looks.dark") },
        ]}
        onChange={(scheme) => onChange({ scheme: scheme === theme ? "" : scheme })}
      />
      <Switcher
        label={t("looks.direction")}
        value={view.dir || "own"}
        options={[
          { id: "own", name: t("looks.dirOwn") },
          { id: "ltr", name: t("looks.ltr") },
          { id: "rtl", name: t("looks.rtl") },
        ]}
        onChange={(dir) => onChange({ dir: dir === "own" ? "" : dir })}
      />
    </div>
  );
}
