import { readAddress, withoutControls } from "../../shared/markdown/links";
import { OuterLink } from "./outer-link";

const addresses = /(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)/g;

/** A text as somebody has written it, in which addresses are links. */
export function LinkedText({ text }: { text: string }) {
  return (
    <>
      {withoutControls(text)
        .split(addresses)
        .map((piece, i) => (i % 2 === 1 ? <Link key={i} text={piece} /> : piece))}
    </>
  );
}

function Link({ text }: { text: string }) {
  const address = readAddress(text.includes("://") ? text : `mailto:${text}`);
  return address ? <OuterLink href={address.href}>{text}</OuterLink> : <>{text}</>;
}
