import type { ComponentChildren } from "preact";
import styles from "./message.module.css";

/** A link that leads away and tells nobody where it came from. */
export function OuterLink({ href, host = "", children }: { href: string; host?: string; children: ComponentChildren }) {
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
        {children}
      </a>
      {host && <bdi class={styles.host}> ({host})</bdi>}
    </>
  );
}
