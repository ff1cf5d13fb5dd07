import { useCallback, useMemo, useRef, useState, type ReactNode } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { useAgent } from "../../api/agents";
import { useDraftOptions, type SuggestingAgent } from "../../api/playground";
import { useMay } from "../../api/session";
import { Button, IconButton } from "../../components/button";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { usePlace, type Pane } from "./address";
import { useTalk, type Exchange } from "./conversation";
import { useDraft } from "./draft";
import { ImproveDialog } from "./improve";
import { useNarrow } from "./narrow";
import { RecentDialog } from "./recent";
import { SaveDraft, unconnectedModel } from "./save";
import { SettingsPane } from "./settings";
import { Spoken, TalkView } from "./talk";
import { WhyPane } from "./why";
import styles from "./playground.module.css";

/** An agent is asked here, with settings that are not saved, and says why it answers so. */
export default function PlaygroundPage({ id }: { id: string }) {
  const { t } = useTexts();
  const agent = useAgent(id);
  const mayAsk = useMay("playground:use");
  const options = useDraftOptions(id, mayAsk);
  const { place, move } = usePlace();
  const [isRecentOpen, setRecentOpen] = useState(false);
  const draft = useDraft(id, options.data, place.without, place.channel);
  const failed = [agent, draft.saved].find(({ isError, data }) => isError && !data);
  const isReady = mayAsk && agent.data && draft.saved.data;
  const isNarrow = useNarrow();
  const isNew = place.conversations.length === 0;
  const begin = () => move({ conversations: [], answer: "" }, true);
  const actions = isReady && (
    <div className={styles.headButtons}>
      <p role="status">{draft.changes.isSaved && t("settings.saved")}</p>
      {isNarrow ? (
        <>
          <IconButton icon="clock" label={t("playground.recent")} onPress={() => setRecentOpen(true)} />
          <IconButton icon="plus" label={t("playground.new")} onPress={begin} isDisabled={isNew} />
        </>
      ) : (
        <>
          <Button kind="quiet" icon="clock" onPress={() => setRecentOpen(true)}>
            {t("playground.recent")}
          </Button>
          <Button icon="plus" onPress={begin} isDisabled={isNew}>
            {t("playground.new")}
          </Button>
        </>
      )}
    </div>
  );
  return (
    <Page title={t("playground.title")} width="full" actions={actions}>
      <RoleNote needs="playground:use" note="role.playground" />
      {mayAsk && !isReady && !failed && <Loading />}
      {mayAsk && failed && <Failed error={failed.error} onRetry={() => void failed.refetch()} />}
      {isReady && options.isError && <Failed error={options.error} onRetry={() => void options.refetch()} />}
      {isReady && <Panes agent={agent.data as SuggestingAgent} draft={draft} options={options.data} />}
      <RecentDialog
        agent={id}
        isOpen={isRecentOpen}
        onClose={() => setRecentOpen(false)}
        onOpen={(conversation) => move({ conversations: [conversation], isComparing: false, answer: "" }, true)}
      />
    </Page>
  );
}

interface PanesProps {
  agent: SuggestingAgent;
  draft: ReturnType<typeof useDraft>;
  options: ReturnType<typeof useDraftOptions>["data"];
}

function Panes({ agent, draft, options }: PanesProps) {
  const { place, move } = usePlace();
  const lanes = place.isComparing ? 2 : 1;
  const talk = useTalk(agent.id, place.conversations, lanes, (conversations) => move({ conversations }));
  const maySave = useMay("agents:write");
  const [passage, setPassage] = useState<number | null>(null);
  const [improved, setImproved] = useState<Exchange | null>(null);
  const isNarrow = useNarrow();
  // What is handed down stays the same while an answer grows.
  const now = useRef({ place, move, draft, isNarrow });
  now.current = { place, move, draft, isNarrow };
  const actions = useMemo(
    () => ({
      ask: (message: string) => {
        const { draft, place, move } = now.current;
        setPassage(null);
        move({ answer: "" });
        talk.ask(message, place.isComparing ? [draft.present, draft.draft] : [draft.draft]);
      },
      again: () => {
        setPassage(null);
        now.current.move({ answer: "" });
        talk.again(now.current.draft.draft);
      },
      explain: ({ answer }: Exchange, passage: number | null) => {
        setPassage(passage);
        const isShown = now.current.isNarrow && passage === null;
        now.current.move({ answer: answer.messageId, ...(isShown && { pane: "why" }) });
      },
      improve: setImproved,
      explainsIn: isNarrow ? ("pane" as const) : ("beside" as const),
    }),
    [talk, isNarrow],
  );
  const change = useCallback((name: string, value: unknown) => now.current.draft.changes.change(name, value), []);
  const leaveOut = useCallback((without: readonly string[]) => now.current.move({ without }), []);
  const compare = useCallback(
    (isComparing: boolean) => now.current.move({ isComparing, conversations: [], answer: "" }, true),
    [],
  );
  const select = useCallback((answer: string, passage: number | null) => {
    setPassage(passage);
    now.current.move({ answer });
  }, []);
  const pick = useCallback((channel: string) => now.current.move({ channel }), []);
  const { instructions, model, temp, channelInstructions } = draft.settings;
  const settings = useMemo(
    () => ({ instructions, model, temp, channelInstructions }),
    [instructions, model, temp, channelInstructions],
  );
  const panes: Record<Pane, ReactNode> = {
    settings: (
      <SettingsPane
        settings={settings}
        options={options}
        without={place.without}
        channel={place.channel}
        isComparing={place.isComparing}
        onChange={change}
        onWithout={leaveOut}
        onChannel={pick}
        onCompare={compare}
      />
    ),
    talk: (
      <TalkView
        agent={agent}
        differences={draft.differences}
        version={draft.saved.data?.version ?? 0}
        talk={talk}
        explained={place.answer}
        passage={passage}
        actions={actions}
      />
    ),
    why: <WhyPane agent={agent.id} talk={talk} answer={place.answer} passage={passage} onSelect={select} />,
  };
  const hasBar = draft.changes.count > 0 || draft.changes.error !== null;
  const bar = `${styles.withBar} ${unconnectedModel(draft, options) ? styles.withWarning : ""}`;
  return (
    <div className={hasBar ? bar : undefined}>
      {isNarrow ? (
        <PaneTabs panes={panes} pane={place.pane} onChange={(pane) => move({ pane })} />
      ) : (
        <WidePanes panes={panes} isComparing={place.isComparing} />
      )}
      <SaveDraft draft={draft} options={options} maySave={maySave} />
      <Spoken talk={talk} />
      <ImproveDialog agent={agent.id} exchange={improved} onClose={() => setImproved(null)} />
    </div>
  );
}

const tabs = { settings: "playground.settings", talk: "playground.conversation", why: "playground.why" } as const;

interface PaneTabsProps {
  panes: Record<Pane, ReactNode>;
  pane: Pane;
  onChange: (pane: Pane) => void;
}

/** The panes where there is room for one. */
function PaneTabs({ panes, pane, onChange }: PaneTabsProps) {
  const { t } = useTexts();
  const ids = Object.keys(tabs) as Pane[];
  return (
    <Tabs className={styles.tabs!} selectedKey={pane} onSelectionChange={(key) => onChange(key as Pane)}>
      <TabList className={styles.tabList!} aria-label={t("playground.title")}>
        {ids.map((id) => (
          <Tab key={id} id={id} className={styles.tab!}>
            {t(tabs[id])}
          </Tab>
        ))}
      </TabList>
      {ids.map((id) => (
        <TabPanel
          key={id}
          id={id}
          className={`${styles.panel} ${id === "talk" ? styles.talkPanel : ""}`}
          shouldForceMount={id === "talk"}
        >
          {panes[id]}
        </TabPanel>
      ))}
    </Tabs>
  );
}

function WidePanes({ panes, isComparing }: { panes: Record<Pane, ReactNode>; isComparing: boolean }) {
  const { t } = useTexts();
  const pane = (id: "settings" | "why") => (
    <section className={styles.pane} aria-label={t(tabs[id])} tabIndex={0}>
      <h2>{t(tabs[id])}</h2>
      {panes[id]}
    </section>
  );
  return (
    <div className={`${styles.panes} ${isComparing ? styles.comparing : ""}`}>
      {pane("settings")}
      <div className={styles.talkPane}>{panes.talk}</div>
      {pane("why")}
    </div>
  );
}
