// How an agent speaks and listens, and how much.
import { Section } from "../../components/page";
import { useTexts } from "../../i18n";
import { spokenLanguages, transcribers, voices, voiceSwitch } from "./fields";
import { useModelOptions } from "./general";
import { ChoiceRow, NumberRow, SwitchRow, TextRow, useValue } from "./rows";
import styles from "./agent-settings.module.css";

const listeners = transcribers.map((id) => ({ id, name: id }));

export function Voice({ id }: { id: string }) {
  const { t } = useTexts();
  const [isOn] = useValue<boolean>(voiceSwitch);
  return (
    <>
      <Section title={t("settings.voice")}>
        <SwitchRow name={voiceSwitch} />
        <p className={styles.hint}>{t("settings.voiceHint")}</p>
        {isOn && <Speaking id={id} />}
      </Section>
      {isOn && (
        <>
          <Section title={t("settings.listening")}>
            <ChoiceRow name="voiceSettings.transcriber.model" options={listeners} />
            <TextRow name="voiceSettings.transcriber.language" hintKey="settings.transcriberLanguageHint" suggestions={spokenLanguages} isCode />
            <NumberRow name="voiceSettings.transcriber.minSilenceDuration" hintKey="settings.minSilenceHint" preset={0.5} />
            <NumberRow name="voiceSettings.transcriber.activationThreshold" hintKey="settings.activationHint" preset={0.5} />
            <SwitchRow name="voiceSettings.allowInterruptions" />
            <SwitchRow name="voiceSettings.allowTextInput" />
          </Section>
          <Section title={t("settings.calls")}>
            <NumberRow name="voiceSettings.endConversationAfterSilenceSeconds" hintKey="settings.endAfterSilenceHint" isWhole />
            <NumberRow name="voiceSettings.maxCallDurationSeconds" hintKey="embed.noLimit" isWhole />
            <NumberRow name="voiceSettings.maxConcurrentSessions" hintKey="embed.noLimit" isWhole />
            <NumberRow name="voiceSettings.maxDailyCallsPerUser" hintKey="embed.noLimit" isWhole />
            <NumberRow name="voice.limits.perHour" hintKey="settings.planLimit" isWhole />
            <NumberRow name="voice.limits.perDay" hintKey="settings.planLimit" isWhole />
            <SwitchRow name="voiceSettings.recordings.enabled" />
            <NumberRow name="voiceSettings.recordings.retentionDays" hintKey="settings.recordingDaysHint" isWhole preset={0} />
          </Section>
        </>
      )}
    </>
  );
}

function Speaking({ id }: { id: string }) {
  const models = useModelOptions(id, "voiceSettings.model");
  return (
    <>
      <TextRow name="voiceSettings.voice.voiceName" hintKey="settings.voiceNameHint" suggestions={voices} />
      <NumberRow name="voiceSettings.voice.speed" hintKey="settings.voiceSpeedHint" preset={1} />
      <NumberRow name="voiceSettings.voice.stability" hintKey="settings.fromZeroToOne" preset={0.5} />
      <NumberRow name="voiceSettings.voice.similarity" hintKey="settings.fromZeroToOne" preset={0.75} />
      <TextRow name="voiceSettings.voice.instructions" hintKey="settings.voiceInstructionsHint" isLong />
      <TextRow name="voiceSettings.initialMessage" hintKey="settings.voiceGreetingHint" isLong />
      <TextRow name="voiceSettings.errorMessage" hintKey="settings.voiceErrorHint" isLong />
      <ChoiceRow name="voiceSettings.model" options={models} />
      <NumberRow name="voiceSettings.temperature" hintKey="settings.creativityHint" preset={0} />
    </>
  );
}
