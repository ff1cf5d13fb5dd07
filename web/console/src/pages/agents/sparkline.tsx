const height = 20;
const bar = 6;

/** Small bars beside a number that says the same; a reader of the screen does without them. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values);
  return (
    <svg aria-hidden="true" width={values.length * (bar + 2)} height={height} fill="currentColor">
      {values.map((value, i) => {
        const size = Math.max(1, Math.round((value / most) * height));
        return <rect key={i} x={i * (bar + 2)} y={height - size} width={bar} height={size} rx={1} />;
      })}
    </svg>
  );
}
