import { useLayoutEffect, useRef, type ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { IconButton } from "./button";
import { useTexts } from "../i18n";
import styles from "./dialog.module.css";

interface Props {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Where it opens: in the middle, near the top, or as a drawer at the start of the page. */
  place?: "middle" | "top" | "start";
  role?: "dialog" | "alertdialog";
  /** Without it the dialog must be answered. */
  isDismissable?: boolean;
  children: ReactNode;
}

export function Dialog({ title, isOpen, onClose, place = "middle", role = "dialog", isDismissable = true, children }: Props) {
  const { t } = useTexts();
  const dialog = useRef<HTMLElement>(null);
  // What had the focus may have gone with the step that is done: keys still belong to the dialog.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) dialog.current?.focus();
  });
  return (
    <ModalOverlay
      className={`${styles.overlay} ${styles[place]}`}
      isOpen={isOpen}
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable}
      onOpenChange={(open) => !open && onClose()}
    >
      <Modal className={styles.modal!}>
        <AriaDialog ref={dialog} role={role} className={styles.dialog!}>
          <div className={styles.head}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {isDismissable && <IconButton icon="x" label={t("dialog.close")} onPress={onClose} />}
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The row of buttons at the end of a dialog or card. */
export function Actions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
