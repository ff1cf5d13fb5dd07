// Instructions that hold in one channel only, beside those of the agent.
import { useContext, useState } from "react";
import { Button, IconButton } from "../../components/button";
import { Choice } from "../../components/choice";
import { Section } from "../../components/page";
import { TextArea } from "../../components/text-area";
import { Toggle } from "../../components/toggle";
import { useTexts } from "../../i18n";
import { useChannelName } from "./channel-names";
import { channels, type Channel } from "./fields";
import { EditorContext, useValue } from "./rows";
import styles from "./agent-settings.module.css";

/** One text for whatever way people talk, or one for each. */
type Instruction = string | { chat?: string; voice?: string };

const nameOf = (channel: Channel) => `channelInstructions.${channel}`;

export function Channels() {
  const { t } = useTexts();
  const { values, isReadOnly } = useContext(EditorContext);
  // A channel whose text is taken away while it is typed anew stays in sight.
  const [added, setAdded] = useState<readonly Channel[]>(() => channels.filter((channel) => values[nameOf(channel)] !== null));
  const shown = channels.filter((channel) => values[nameOf(channel)] !== null || added.includes(channel));
  const add = (channel: Channel) => setAdded((before) => [...before, channel]);
  const remove = (channel: Channel) => setAdded((before) => before.filter((one) => one !== channel));
  return (
    <Section title={t("settings.channels")}>
      <p>{t("settings.channelsText")}</p>
      {shown.length === 0 && <p>{t("settings.noChannels")}</p>}
      {shown.map((channel) => (
        <ChannelRow key={channel} channel={channel} onRemove={() => remove(channel)} />
      ))}
      {!isReadOnly && shown.length < channels.length && (
        <NewChannel options={channels.filter((channel) => !shown.includes(channel))} onAdd={add} />
      )}
    </Section>
  );
}

function NewChannel({ options, onAdd }: { options: readonly Channel[]; onAdd: (channel: Channel) => void }) {
  const { t } = useTexts();
  const name = useChannelName();
  const [picked, setPicked] = useState<Channel>();
  const chosen = picked && options.includes(picked) ? picked : options[0]!;
  return (
    <div className={styles.adding}>
      <Choice
        label={t("settings.channel")}
        value={chosen}
        options={options.map((id) => ({ id, name: name(id) }))}
        onChange={setPicked}
      />
      <Button icon="plus" onPress={() => onAdd(chosen)}>
        {t("settings.addChannel")}
      </Button>
    </div>
  );
}

function ChannelRow({ channel, onRemove }: { channel: Channel; onRemove: () => void }) {
  const { t } = useTexts();
  const name = useChannelName()(channel);
  const [value, set, isReadOnly] = useValue<Instruction | null>(nameOf(channel));
  const isSplit = typeof value === "object" && value !== null;
  const split = (isOn: boolean) => {
    if (isOn) set({ chat: (value as string | null) ?? "", voice: "" });
    else {
      const { chat, voice } = value as { chat?: string; voice?: string };
      set(chat || voice || null);
    }
  };
  const remove = () => {
    onRemove();
    set(null);
  };
  return (
    <fieldset className={styles.group} aria-label={name}>
      <div className={styles.groupHead}>
        <h3>{name}</h3>
        {!isReadOnly && <IconButton icon="trash" label={t("settings.removeChannel", { name })} onPress={remove} />}
      </div>
      {isSplit ? (
        (["chat", "voice"] as const).map((way) => (
          <TextArea
            key={way}
            name={`settings.${nameOf(channel)}.${way}`}
            label={t(way === "chat" ? "settings.inWriting" : "settings.spoken")}
            value={value[way] ?? ""}
            onChange={(text) => set({ ...value, [way]: text })}
            isReadOnly={isReadOnly}
          />
        ))
      ) : (
        <TextArea
          name={`settings.${nameOf(channel)}`}
          label={t("settings.instructions")}
          value={value ?? ""}
          onChange={(text) => set(text === "" ? null : text)}
          isReadOnly={isReadOnly}
        />
      )}
      <Toggle isSelected={isSplit} onChange={split} isDisabled={isReadOnly}>
        {t("settings.splitChannel")}
      </Toggle>
    </fieldset>
  );
}
