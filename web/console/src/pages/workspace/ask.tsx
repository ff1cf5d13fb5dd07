import { useState, type ReactNode } from "react";
import { Button } from "../../components/button";
import { Actions } from "../../components/dialog";
import { Form } from "../../components/form";
import { useTexts } from "../../i18n";

interface Props {
  /** What the button says that does it. */
  submit: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  onSubmit: (values: Record<string, string>) => Promise<unknown>;
  onClose: () => void;
  children?: ReactNode;
}

/** What a dialog asks before something is done, with what the server has against it. */
export function Ask({ submit, isDangerous = false, isDisabled = false, onSubmit, onClose, children }: Props) {
  const { t } = useTexts();
  const [hasFocus] = useState(isDangerous); // what cannot be undone is not under the Enter key
  return (
    <Form onSubmit={onSubmit}>
      {(isPending) => (
        <>
          {children}
          <Actions>
            <Button onPress={onClose} autoFocus={hasFocus}>
              {t("dialog.cancel")}
            </Button>
            <Button type="submit" kind={isDangerous ? "danger" : "primary"} isPending={isPending} isDisabled={isDisabled}>
              {submit}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}
