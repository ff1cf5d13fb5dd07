// A form whose values its screen keeps, and of which the screen knows what the server has refused.
import { useMemo } from "react";
import { Form, type FormProps } from "react-aria-components";
import { Faults, type Said } from "./fault";

interface Props extends FormProps {
  /** What the server has said is wrong, by the names of the fields. */
  said: Said;
}

const claim = () => () => {};

export function FaultForm({ said, ...props }: Props) {
  const faults = useMemo(() => ({ said, claim }), [said]);
  return (
    <Faults value={faults}>
      <Form {...props} />
    </Faults>
  );
}
