import { Link } from "react-aria-components";

/** A link that several figures or questions have, told apart by the name of its own. */
export function NamedLink({ href, text, name }: { href: string; text: string; name: string }) {
  return (
    <Link href={href} aria-label={`${text}: ${name}`}>
      {text}
    </Link>
  );
}
