import { memo } from "react";
import {
  Checkbox,
  Label,
  Slider,
  SliderOutput,
  SliderThumb,
  SliderTrack,
  Text,
  TextArea,
  TextField,
} from "react-aria-components";
import type { DraftOptions } from "../../api/playground";
import { Choice } from "../../components/choice";
import { ConnectModel } from "../../components/connect-model";
import { Icon } from "../../components/icon";
import { RoleNote } from "../../components/role-note";
import { Toggle } from "../../components/toggle";
import { useTexts } from "../../i18n";
import { channels } from "../agent-settings/channel-list";
import { useChannelName } from "../agent-settings/channel-names";
import { textOf, withText } from "./channel-text";
import type { Settings } from "./draft";
import { isBuiltIn, isNotConnected, listModels } from "./models";
import field from "../../components/field.module.css";
import styles from "./settings.module.css";

interface Props {
  settings: Settings;
  options: DraftOptions | undefined;
  /** The actions that are left out. */
  without: readonly string[];
  /** Whose instructions are asked with; empty for none. */
  channel: string;
  isComparing: boolean;
  onChange: (name: keyof Settings, value: unknown) => void;
  onWithout: (without: readonly string[]) => void;
  onChannel: (channel: string) => void;
  onCompare: (isComparing: boolean) => void;
}

/** The settings that are asked. Nothing is saved before it is asked for. */
export const SettingsPane = memo(function SettingsPane(props: Props) {
  const { t } = useTexts();
  const { settings, options, onChange } = props;
  const nameOf = (model: string) => {
    if (!isBuiltIn(options, model)) return model;
    return t(isNotConnected(options, model) ? "playground.notConnected" : "playground.builtInNow", { model });
  };
  return (
    <div className={styles.settings}>
      <RoleNote needs="agents:write" note="role.draft" />
      <TextField
        className={field.field!}
        value={settings.instructions}
        onChange={(instructions) => onChange("instructions", instructions)}
      >
        <Label className={field.label!}>{t("playground.instructions")}</Label>
        <TextArea className={`${field.input} ${styles.area}`} rows={8} dir="auto" />
        {isBuiltIn(options, settings.model) && (
          <Text slot="description" className={field.hint!}>
            <ConnectModel />
          </Text>
        )}
      </TextField>
      <ChannelText {...props} />
      <Choice
        label={t("agent.model")}
        value={settings.model}
        options={listModels(options, settings.model).map((id) => ({ id, name: nameOf(id) }))}
        onChange={(model) => onChange("model", model)}
      />
      <Slider
        className={styles.slider!}
        minValue={0}
        maxValue={1}
        step={0.05}
        value={settings.temp}
        onChange={(temp) => onChange("temp", Array.isArray(temp) ? temp[0]! : temp)}
      >
        <Label className={field.label!}>{t("playground.creativity")}</Label>
        <SliderOutput className={styles.output!} />
        <SliderTrack className={styles.track!}>
          <SliderThumb className={styles.thumb!} />
        </SliderTrack>
      </Slider>
      {options && options.actions.length > 0 && <ActionList {...props} options={options} />}
      <Toggle isSelected={props.isComparing} onChange={props.onCompare}>
        {t("playground.compare")}
      </Toggle>
      <p className={field.hint}>{t("playground.draftHint")}</p>
    </div>
  );
});

/** What one channel adds to the instructions, to try it here. */
function ChannelText({ settings, channel, onChange, onChannel }: Pick<Props, "settings" | "channel" | "onChange" | "onChannel">) {
  const { t } = useTexts();
  const name = useChannelName();
  const all = settings.channelInstructions;
  const chosen = channels.find((one) => one === channel) ?? "";
  return (
    <>
      <Choice
        label={t("settings.channel")}
        value={chosen}
        options={[{ id: "", name: t("playground.noChannel") }, ...channels.map((id) => ({ id, name: name(id) }))]}
        onChange={onChannel}
      />
      {chosen && (
        <TextField
          className={field.field!}
          value={textOf(all, chosen)}
          onChange={(text) => onChange("channelInstructions", withText(all, chosen, text))}
        >
          <Label className={field.label!}>{t("playground.channelText", { channel: name(chosen) })}</Label>
          <TextArea className={`${field.input} ${styles.area}`} rows={4} dir="auto" />
        </TextField>
      )}
    </>
  );
}

function ActionList({ options, without, onWithout }: Pick<Props, "without" | "onWithout"> & { options: DraftOptions }) {
  const { t } = useTexts();
  const toggle = (name: string, isOffered: boolean) =>
    onWithout(isOffered ? without.filter((other) => other !== name) : [...without, name]);
  return (
    <fieldset className={styles.actions}>
      <legend className={field.label}>{t("playground.actions")}</legend>
      {options.actions.map(({ name, description }) => (
        <Checkbox
          key={name}
          className={styles.check!}
          isSelected={!without.includes(name)}
          onChange={(isOffered) => toggle(name, isOffered)}
        >
          <span className={styles.box}>
            <Icon name="check" size={14} />
          </span>
          <span title={description}>{name}</span>
        </Checkbox>
      ))}
      <p className={field.hint}>{t("playground.actionsHint")}</p>
    </fieldset>
  );
}
