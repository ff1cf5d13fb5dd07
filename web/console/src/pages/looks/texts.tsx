// What the chat says by itself, and the help page, which looks as the bubble does.
import { Section } from "../../components/page";
import { Toggle } from "../../components/toggle";
import { useTexts } from "../../i18n";
import { ThemeRow } from "./bubble";
import { useField, useGroup } from "./editor";
import { Lines, TextRow } from "./rows";
import { readLines, writeLines, type Suggestion } from "./suggestions";
import styles from "./looks.module.css";

// An empty line is between two greetings: one may have several lines.
const readGreetings = (text: string) => text.split(/\n[ \t]*\n/).map((one) => one.trim()).filter(Boolean);
const writeGreetings = (list: readonly string[]) => list.join("\n\n");

export function Texts() {
  const { t } = useTexts();
  return (
    <>
      <Section title={t("looks.window")}>
        <TextRow name="chat.displayName" labelKey="looks.displayName" max={100} />
        <TextRow name="chat.messagePlaceholder" labelKey="looks.messagePlaceholder" max={200} />
        <TextRow name="chat.dismissableNotice" labelKey="looks.dismissableNotice" max={500} isLong />
        <TextRow name="chat.footer" labelKey="looks.footer" max={500} isLong />
      </Section>
      <Section title={t("looks.beginning")}>
        <GreetingsRow />
        <MobileGreetings />
        <SuggestionsRow name="suggestedMessages" />
      </Section>
    </>
  );
}

function GreetingsRow() {
  const { t } = useTexts();
  const [value, set] = useField<string[]>("initialMessages");
  return (
    <Lines
      name="initialMessages"
      label={t("looks.initialMessages")}
      hint={t("looks.initialMessagesHint")}
      value={value}
      split={readGreetings}
      join={writeGreetings}
      onChange={set}
    />
  );
}

interface Mobile {
  initialMessages?: { enabled: boolean; value: string[] } | null;
}

function MobileGreetings() {
  const { t } = useTexts();
  const [mobile, change] = useGroup<Mobile>("chat.mobile");
  const own = mobile.initialMessages ?? { enabled: false, value: [] };
  return (
    <>
      <Toggle isSelected={own.enabled} onChange={(enabled) => change({ initialMessages: { ...own, enabled } })}>
        {t("looks.mobileMessages")}
      </Toggle>
      {own.enabled && (
        <Lines
          name="chat.mobile.initialMessages.value"
          label={t("looks.mobileMessagesText")}
          hint={t("looks.initialMessagesHint")}
          value={own.value}
          split={readGreetings}
          join={writeGreetings}
          onChange={(value) => change({ initialMessages: { enabled: true, value } })}
        />
      )}
    </>
  );
}

/** Messages that customers can pick. */
export function SuggestionsRow({ name }: { name: string }) {
  const { t } = useTexts();
  const [value, set] = useField<Suggestion[] | null>(name);
  return (
    <Lines
      name={name}
      label={t("looks.suggestedMessages")}
      hint={t("looks.suggestedMessagesHint")}
      value={value ?? []}
      split={(text) => readLines(text, value)}
      join={writeLines}
      onChange={set}
    />
  );
}

export function HelpPage({ address }: { address: string }) {
  const { t } = useTexts();
  return (
    <Section title={t("looks.help")}>
      <p>{t("looks.helpText")}</p>
      <p className={styles.address} dir="ltr">
        <a href={address} target="_blank" rel="noopener">
          {address}
        </a>
      </p>
      <ThemeRow name="chat.theme" />
      <TextRow name="chat.displayName" labelKey="looks.displayName" max={100} />
      <GreetingsRow />
      <SuggestionsRow name="suggestedMessages" />
    </Section>
  );
}
