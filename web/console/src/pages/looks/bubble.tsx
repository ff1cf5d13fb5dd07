// The bubble: what the button and the window on a site look like, and how they behave.
import { useContext } from "react";
import { Section } from "../../components/page";
import { Radios } from "../../components/radios";
import { Toggle } from "../../components/toggle";
import { useTexts } from "../../i18n";
import { EditorContext, useField, useGroup } from "./editor";
import { newShownStyles } from "./fields";
import { Pictures } from "./pictures";
import { ColorRow, Seconds, SwitchRow, useTheme } from "./rows";

export function Bubble({ id }: { id: string }) {
  const { t } = useTexts();
  const { values } = useContext(EditorContext);
  const { tokens } = useTheme(newShownStyles(values).chat);
  return (
    <>
      <Section title={t("looks.colors")}>
        <ThemeRow name="chat.theme" />
        <ColorRow name="chat.headerColor" labelKey="looks.headerColor" tokens={tokens} token="--chat-header-bg" />
        <ColorRow name="chat.userMessageColor" labelKey="looks.userMessageColor" tokens={tokens} token="--chat-user-bg" />
        <ButtonColor tokens={tokens} />
      </Section>
      <Pictures id={id} />
      <Section title={t("looks.button")}>
        <Side />
        <Opening />
        <MobileOpening />
      </Section>
      <Section title={t("looks.parts")}>
        <SwitchRow name="chat.showFeedback" labelKey="looks.showFeedback" />
        <SwitchRow name="chat.showCopyButton" labelKey="looks.showCopyButton" />
        <SwitchRow name="chat.showAttachments" labelKey="looks.showAttachments" />
        <SwitchRow name="chat.showDictation" labelKey="looks.showDictation" />
        <SwitchRow name="chat.showVoiceMode" labelKey="looks.showVoiceMode" />
      </Section>
    </>
  );
}

/** Light or dark, or as the page around the chat is. */
export function ThemeRow({ name }: { name: string }) {
  const { t } = useTexts();
  const [value, set] = useField<"light" | "dark" | "page">(name);
  const options = [
    { id: "light" as const, name: t("looks.light") },
    { id: "dark" as const, name: t("looks.dark") },
    { id: "page" as const, name: t("looks.asPage") },
  ];
  return <Radios label={t("looks.theme")} value={value} options={options} onChange={set} />;
}

function ButtonColor({ tokens }: { tokens: ReturnType<typeof useTheme>["tokens"] }) {
  const { t } = useTexts();
  const [value, set] = useField<string>("chat.buttonColor");
  const isTransparent = value === "transparent";
  return (
    <>
      <Toggle isSelected={isTransparent} onChange={(is) => set(is ? "transparent" : "")}>
        {t("looks.transparent")}
      </Toggle>
      {!isTransparent && <ColorRow name="chat.buttonColor" labelKey="looks.buttonColor" tokens={tokens} token="--chat-button-bg" />}
    </>
  );
}

function Side() {
  const { t } = useTexts();
  const [value, set] = useField<"left" | "right">("chat.alignChatButton");
  const options = [
    { id: "right" as const, name: t("looks.right") },
    { id: "left" as const, name: t("looks.left") },
  ];
  return <Radios label={t("looks.side")} value={value} options={options} onChange={set} />;
}

function Opening() {
  const { t } = useTexts();
  const [value, set] = useField<number | null>("chat.autoOpenChatWindowAfter");
  return (
    <Seconds
      name="chat.autoOpenChatWindowAfter"
      label={t("looks.autoOpen")}
      hint={t("looks.autoOpenHint")}
      value={value}
      onChange={set}
    />
  );
}

interface Mobile {
  showAutoOpen?: boolean | null;
  autoOpenChatWindowAfter?: { enabled: boolean; value: number } | null;
}

function MobileOpening() {
  const { t } = useTexts();
  const [mobile, change] = useGroup<Mobile>("chat.mobile");
  const opening = mobile.autoOpenChatWindowAfter;
  const setOpening = (isOn: boolean) =>
    change({ showAutoOpen: isOn, autoOpenChatWindowAfter: { enabled: isOn, value: opening?.value ?? 5 } });
  const isOn = mobile.showAutoOpen === true && opening?.enabled === true;
  return (
    <>
      <Toggle isSelected={isOn} onChange={setOpening}>
        {t("looks.mobileOpen")}
      </Toggle>
      {isOn && (
        <Seconds
          name="chat.mobile.autoOpenChatWindowAfter.value"
          label={t("looks.mobileOpenAfter")}
          value={opening.value}
          onChange={(value) => change({ autoOpenChatWindowAfter: { enabled: true, value: value ?? 0 } })}
        />
      )}
    </>
  );
}
