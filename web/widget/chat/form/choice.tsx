import { useId } from "preact/hooks";
import type { ControlAttributes, FieldProps } from "./field";
import { LabelText } from "./field";
import styles from "./form.module.css";
import type { OptionGroup } from "./schema";

type ChoiceProps = FieldProps & { attributes: ControlAttributes };

/** One of several options, in the browser's own list. */
export function Select({ field, value, attributes, onChange }: ChoiceProps) {
  return (
    <select
      {...attributes}
      className={styles.control}
      value={typeof value === "string" ? value : ""}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{field.placeholder}</option>
      {field.groups.map((group) =>
        group.label ? (
          <optgroup key={group.label} label={group.label}>
            <Options group={group} />
          </optgroup>
        ) : (
          <Options key="" group={group} />
        ),
      )}
    </select>
  );
}

function Options({ group }: { group: OptionGroup }) {
  return (
    <>
      {group.options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </>
  );
}

/** Several of several options. */
export function Checkboxes({ id, field, value, t, attributes, onChange }: ChoiceProps) {
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
  const toggle = (option: string) => {
    const all = field.groups.flatMap((group) => group.options.map((o) => o.value));
    const isChosen = chosen.includes(option);
    onChange(all.filter((v) => (v === option ? !isChosen : chosen.includes(v))));
  };
  const { disabled, "aria-describedby": describedBy } = attributes;
  return (
    <fieldset id={id} className={styles.choices} disabled={disabled} aria-describedby={describedBy}>
      <legend className={styles.label} dir="auto">
        <LabelText field={field} t={t} />
      </legend>
      <div className={styles.options}>
        {field.groups.map((group) => (
          <Group key={group.label} group={group} chosen={chosen} describedBy={describedBy} onToggle={toggle} />
        ))}
      </div>
    </fieldset>
  );
}

interface GroupProps {
  group: OptionGroup;
  chosen: readonly string[];
  describedBy: string | undefined;
  onToggle(value: string): void;
}

function Group({ group, chosen, describedBy, onToggle }: GroupProps) {
  const id = useId();
  const boxes = group.options.map((option) => (
    <label key={option.value} className={styles.option} dir="auto">
      <input
        type="checkbox"
        checked={chosen.includes(option.value)}
        aria-invalid={describedBy ? "true" : undefined}
        aria-describedby={describedBy}
        onChange={() => onToggle(option.value)}
      />
      <span>{option.label}</span>
    </label>
  ));
  if (!group.label) return <>{boxes}</>;
  return (
    <div role="group" aria-labelledby={id} className={styles.group}>
      <p id={id} className={styles.groupLabel} dir="auto">
        {group.label}
      </p>
      {boxes}
    </div>
  );
}
