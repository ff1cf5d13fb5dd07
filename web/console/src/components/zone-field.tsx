import { Button } from "./button";
import { Field } from "./field";
import { useTexts } from "../i18n";
import styles from "./field.module.css";

interface Props {
  name?: string;
  label: string;
  hint?: string;
  value: string;
  onChange: (zone: string) => void;
  isReadOnly?: boolean;
  isRequired?: boolean;
}

const zones = Intl.supportedValuesOf("timeZone");

/** The zone that the person is in; nothing where an empty field means the same. */
const findOwn = () => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return /^(Etc\/)?UTC$/.test(timeZone) ? "" : timeZone;
};

/** A time zone by its name, of which the browser proposes those that have what is typed. */
export function ZoneField({ onChange, ...props }: Props) {
  const { t } = useTexts();
  const own = findOwn();
  const isProposed = own !== "" && props.value === "" && !props.isReadOnly;
  return (
    <div className={styles.field}>
      <Field {...props} onChange={onChange} suggestions={zones} autoComplete="off" isCode />
      {isProposed && (
        <div>
          <Button kind="quiet" onPress={() => onChange(own)}>
            {t("mails.zoneHere", { zone: own })}
          </Button>
        </div>
      )}
    </div>
  );
}
