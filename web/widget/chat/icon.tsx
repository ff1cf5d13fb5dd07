// Icons of the chat are lines, out of Lucide (ISC licence): only those that are used get into the build.

/** An icon of lines, of a size in px unless it is told another. */
export function icon(standard: number, ...paths: string[]) {
  return ({ size = standard }: { size?: number }) => (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      {paths.map((d) => (
        <path key={d} d={d} />
      ))}
    </svg>
  );
}
