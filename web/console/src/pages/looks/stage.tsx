// Center stage: the chat in the middle of the page.
import { useContext } from "react";
import { RangeField } from "../../components/color-field";
import { Field } from "../../components/field";
import { Section } from "../../components/page";
import { Toggle } from "../../components/toggle";
import { useTexts } from "../../i18n";
import { ThemeRow } from "./bubble";
import { EditorContext, useField, useGroup } from "./editor";
import { newShownStyles } from "./fields";
import { ChoiceRow, ColorRow, InkRow, SwitchRow, TextRow, useTheme } from "./rows";
import { SuggestionsRow } from "./texts";

export function Stage() {
  const { t } = useTexts();
  const { values } = useContext(EditorContext);
  const theme = useTheme(newShownStyles(values).centerStage);
  const { tokens } = theme;
  return (
    <>
      <SwitchRow name="centerStage.enabled" labelKey="looks.stageOn" />
      <Section title={t("looks.texts")}>
        <TextRow name="centerStage.displayName" labelKey="looks.displayName" max={100} />
        <TextRow name="centerStage.welcomeMessage" labelKey="looks.welcomeMessage" max={500} isLong />
        <TextRow name="centerStage.messagePlaceholder" labelKey="looks.messagePlaceholder" max={200} />
        <TextRow name="centerStage.dismissableNotice" labelKey="looks.dismissableNotice" max={500} isLong />
        <TextRow name="centerStage.footer" labelKey="looks.footer" max={500} isLong />
        <SuggestionsRow name="centerStage.suggestedMessages" />
      </Section>
      <Section title={t("looks.colors")}>
        <ThemeRow name="centerStage.theme" />
        <ColorRow name="centerStage.headerColor" labelKey="looks.headerColor" tokens={tokens} token="--chat-header-bg" />
        <ColorRow name="centerStage.userMessageColor" labelKey="looks.userMessageColor" tokens={tokens} token="--chat-user-bg" />
        <ColorRow name="centerStage.buttonColor" labelKey="looks.buttonColor" tokens={tokens} token="--chat-button-bg" />
        <Accent theme={theme} />
        <Surfaces theme={theme} />
        <Grays />
      </Section>
      <Section title={t("looks.type")}>
        <Typography />
        <ChoiceRow name="centerStage.width" labelKey="looks.width" options={widths.map((id) => ({ id, name: t(`looks.${id}`) }))} />
      </Section>
      <Section title={t("looks.parts")}>
        <SwitchRow name="centerStage.showDataSource" labelKey="looks.showDataSource" />
        <SwitchRow name="centerStage.showFeedback" labelKey="looks.showFeedback" />
        <SwitchRow name="centerStage.showCopyButton" labelKey="looks.showCopyButton" />
        <SwitchRow name="centerStage.showAttachments" labelKey="looks.showAttachments" />
        <SwitchRow name="centerStage.showDictation" labelKey="looks.showDictation" />
        <SwitchRow name="centerStage.showVoiceMode" labelKey="looks.showVoiceMode" />
        <SwitchRow name="centerStage.closeOnOutsideClick" labelKey="looks.closeOnOutsideClick" />
      </Section>
      <Section title={t("looks.stageBubble")}>
        <SwitchRow name="centerStage.showChatBubble" labelKey="looks.showChatBubble" />
        <Indicator />
        <Notice />
      </Section>
    </>
  );
}

const widths = ["small", "medium", "large"] as const;
type StageTheme = ReturnType<typeof useTheme>;

function Accent({ theme }: { theme: StageTheme }) {
  const { t } = useTexts();
  const [accent, change] = useGroup<{ enabled: boolean; color: string }>("centerStage.accentColor");
  return (
    <>
      <Toggle isSelected={accent.enabled} onChange={(enabled) => change({ enabled })}>
        {t("looks.accentOn")}
      </Toggle>
      {accent.enabled && (
        <InkRow
          name="centerStage.accentColor.color"
          labelKey="looks.accentColor"
          value={accent.color}
          preset={theme.tokens["--chat-accent"]}
          ground={theme.tokens["--chat-bg"]}
          shown={theme.adjustments.find(({ field }) => field === "accentColor")?.shown}
          onChange={(color) => change({ color })}
        />
      )}
    </>
  );
}

function Surfaces({ theme }: { theme: StageTheme }) {
  const { t } = useTexts();
  type Colors = { enabled: boolean; background: string; foreground: string };
  const [own, change] = useGroup<Colors>("centerStage.customSurfaceColors");
  const { tokens } = theme;
  const shared = { ground: tokens["--chat-bg"], shown: undefined };
  return (
    <>
      <Toggle isSelected={own.enabled} onChange={(enabled) => change({ enabled })}>
        {t("looks.surfacesOn")}
      </Toggle>
      {own.enabled && (
        <>
          <InkRow
            {...shared}
            ground={tokens["--chat-fg"]}
            name="centerStage.customSurfaceColors.background"
            labelKey="looks.background"
            value={own.background}
            preset={tokens["--chat-bg"]}
            onChange={(background) => change({ background })}
          />
          <InkRow
            {...shared}
            name="centerStage.customSurfaceColors.foreground"
            labelKey="looks.foreground"
            value={own.foreground}
            preset={tokens["--chat-fg"]}
            shown={theme.adjustments.find(({ field }) => field === "customSurfaceColors")?.shown}
            onChange={(foreground) => change({ foreground })}
          />
        </>
      )}
    </>
  );
}

function Grays() {
  const { t } = useTexts();
  type Tinted = { enabled: boolean; hue: number; tint: number; shade: number };
  const [grays, change] = useGroup<Tinted>("centerStage.tintedGrayscale");
  return (
    <>
      <Toggle isSelected={grays.enabled} onChange={(enabled) => change({ enabled })}>
        {t("looks.graysOn")}
      </Toggle>
      {grays.enabled && (
        <>
          <RangeField label={t("looks.hue")} value={grays.hue} least={0} most={360} onChange={(hue) => change({ hue })} />
          <RangeField label={t("looks.tint")} value={Math.min(9, grays.tint)} least={0} most={9} onChange={(tint) => change({ tint })} />
          <RangeField label={t("looks.shade")} value={Math.min(4, grays.shade)} least={0} most={4} onChange={(shade) => change({ shade })} />
        </>
      )}
    </>
  );
}

const families = ["Inter", "System", "Arial", "Helvetica", "Georgia"];
const sizes = ["12px", "14px", "16px", "18px", "20px"];

function Typography() {
  const { t } = useTexts();
  const [type, change] = useGroup<{ fontFamily: string; fontSize: string }>("centerStage.typography");
  return (
    <EditorContext
      value={{
        values: type as unknown as Record<string, unknown>,
        change: (name, value) => change({ [name]: value }),
      }}
    >
      <ChoiceRow
        name="fontFamily"
        labelKey="looks.fontFamily"
        options={families.map((id) => ({ id, name: id === "System" ? t("looks.systemFont") : id }))}
      />
      <ChoiceRow name="fontSize" labelKey="looks.fontSize" options={sizes.map((id) => ({ id, name: id.replace("px", " px") }))} />
    </EditorContext>
  );
}

function Indicator() {
  const { t } = useTexts();
  const [mark, change] = useGroup<{ enabled: boolean; number: number }>("centerStage.notificationIndicator");
  const setNumber = (text: string) => {
    if (/^\d{1,2}$/.test(text)) change({ number: Number(text) });
  };
  return (
    <>
      <Toggle isSelected={mark.enabled} onChange={(enabled) => change({ enabled })}>
        {t("looks.indicator")}
      </Toggle>
      {mark.enabled && (
        <Field
          name="centerStage.notificationIndicator.number"
          label={t("looks.indicatorNumber")}
          hint={t("looks.indicatorHint")}
          inputMode="numeric"
          value={String(mark.number)}
          onChange={setNumber}
        />
      )}
    </>
  );
}

function Notice() {
  const { t } = useTexts();
  const [notice] = useField<{ enabled: boolean; text: string }>("centerStage.notificationMessage");
  const [, change] = useGroup<{ enabled: boolean; text: string }>("centerStage.notificationMessage");
  const length = [...notice.text].length;
  return (
    <>
      <Toggle isSelected={notice.enabled} onChange={(enabled) => change({ enabled })}>
        {t("looks.noticeOn")}
      </Toggle>
      {notice.enabled && (
        <Field
          name="centerStage.notificationMessage.text"
          label={t("looks.noticeText")}
          hint={t("looks.length", { count: length, max: 200 })}
          value={notice.text}
          isInvalid={length > 200}
          onChange={(text) => change({ text })}
        />
      )}
    </>
  );
}
