import { CheckboxGroup } from "react-aria-components";
import { days, type Shift } from "../../api/helpdesk-setup";
import { Button, IconButton } from "../../components/button";
import { Check } from "../../components/check";
import { Field } from "../../components/field";
import { ZoneField } from "../../components/zone-field";
import { useTexts } from "../../i18n";
import { nameDay } from "./days";
import { WeekGrid } from "./week-grid";
import styles from "./setup.module.css";

/** A shift in one line: its days, its times and its time zone. */
export function describeShift({ days: ofShift, from, to, zone }: Shift, locale: string): string {
  const names = ofShift.map((day) => nameDay(day, locale));
  return `${new Intl.ListFormat(locale, { type: "unit", style: "short" }).format(names)} ${from}–${to} (${zone})`;
}

const newShift = (): Shift => ({
  days: days.slice(0, 5),
  from: "09:00",
  to: "17:00",
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

/** The shifts of a team, each with a box for every day of the week, and above them the week that they make. */
export function ShiftsEditor({ shifts, onChange }: { shifts: readonly Shift[]; onChange: (shifts: readonly Shift[]) => void }) {
  const { t } = useTexts();
  const replace = (at: number, part: Partial<Shift>) => onChange(shifts.map((shift, i) => (i === at ? { ...shift, ...part } : shift)));
  return (
    <fieldset className={styles.shifts}>
      <legend>{t("tickets.setup.shifts")}</legend>
      <p className={styles.detail}>{t("tickets.setup.shiftsHint")}</p>
      <WeekGrid shifts={shifts} />
      {shifts.map((shift, i) => (
        <ShiftRow
          key={i}
          shift={shift}
          number={i + 1}
          onChange={(part) => replace(i, part)}
          onRemove={() => onChange(shifts.filter((_, other) => other !== i))}
        />
      ))}
      <div>
        <Button icon="plus" onPress={() => onChange([...shifts, newShift()])}>
          {t("tickets.setup.addShift")}
        </Button>
      </div>
    </fieldset>
  );
}

interface RowProps {
  shift: Shift;
  number: number;
  onChange: (part: Partial<Shift>) => void;
  onRemove: () => void;
}

function ShiftRow({ shift, number, onChange, onRemove }: RowProps) {
  const { t, locale } = useTexts();
  return (
    <div className={styles.shift} role="group" aria-label={t("tickets.setup.shift", { number })}>
      <CheckboxGroup
        aria-label={t("tickets.setup.days")}
        value={shift.days}
        onChange={(chosen) => onChange({ days: days.filter((day) => chosen.includes(day)) })}
        className={styles.days!}
      >
        {days.map((day) => (
          <Check key={day} value={day}>
            {nameDay(day, locale)}
          </Check>
        ))}
      </CheckboxGroup>
      <div className={styles.times}>
        <Field label={t("tickets.setup.from")} value={shift.from} onChange={(from) => onChange({ from })} maxLength={5} isRequired isCode />
        <Field label={t("tickets.setup.to")} value={shift.to} onChange={(to) => onChange({ to })} maxLength={5} isRequired isCode />
        <ZoneField label={t("tickets.setup.zone")} value={shift.zone} onChange={(zone) => onChange({ zone })} isRequired />
        <IconButton icon="trash" label={t("tickets.setup.removeShift", { number })} onPress={onRemove} />
      </div>
    </div>
  );
}
