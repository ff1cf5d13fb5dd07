// Matches a text with a regular expression of a page's. The browser's own engine may take forever for one ("(a+)+$"), and
// the chat has no worker that it could end; here each pair of instruction and place is tried once, so the time is bounded.
import { parsePattern, PatternError, type Node, type Place } from "./pattern-syntax";

export { PatternError };

export interface Pattern {
  /** Whether a text has a match. Only the first 2,000 characters count. */
  test(text: string): boolean;
}

/** What is tried with one text at most; beyond it the text passes, and who gets the form has to check it. */
const maxSteps = 4_000_000;
const maxInstructions = 2_000;
export const maxPatternText = 2_000;

type Instruction =
  | { op: "char"; test: (char: string) => boolean }
  | { op: "split"; to: number }
  | { op: "jump"; to: number }
  | { op: "place"; name: Place }
  | { op: "look"; program: Program; isBehind: boolean; isNegated: boolean }
  | { op: "match" };

type Program = Instruction[];

/** Makes a pattern of a regular expression's text, in Unicode mode where it compiles. Throws a PatternError. */
export function compilePattern(source: string): Pattern {
  if (source.length > 1_000) throw new PatternError("it has more than 1,000 characters");
  const isUnicode = isExpression(source, "u");
  if (!isUnicode && !isExpression(source, "")) throw new PatternError("it is no regular expression");
  const compiler = new Compiler();
  const program = compiler.compile(parsePattern(source, isUnicode), false);
  return { test: (text) => new Matcher(isUnicode ? [...text] : text.split("")).search(program) };
}

function isExpression(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

class Compiler {
  private count = 0;

  compile(node: Node, isBehind: boolean): Program {
    const program: Program = [];
    this.add(program, node, isBehind);
    program.push({ op: "match" });
    return program;
  }

  private add(program: Program, node: Node, isBehind: boolean): void {
    this.grow();
    switch (node.kind) {
      case "char":
        return this.push(program, { op: "char", test: node.test });
      case "place":
        return this.push(program, { op: "place", name: node.name });
      case "sequence":
        for (const part of isBehind ? node.nodes.toReversed() : node.nodes) this.add(program, part, isBehind);
        return;
      case "choice":
        return this.addChoice(program, node.nodes, isBehind);
      case "repeat":
        return this.addRepeat(program, node, isBehind);
      case "look":
        return this.push(program, { ...node, op: "look", program: this.compile(node.node, node.isBehind) });
    }
  }

  private addChoice(program: Program, nodes: Node[], isBehind: boolean): void {
    const ends: { op: "jump"; to: number }[] = [];
    nodes.forEach((node, i) => {
      const split = { op: "split" as const, to: 0 };
      if (i < nodes.length - 1) this.push(program, split);
      this.add(program, node, isBehind);
      const end = { op: "jump" as const, to: 0 };
      if (i < nodes.length - 1) this.push(program, end);
      ends.push(end);
      split.to = program.length;
    });
    for (const end of ends) end.to = program.length;
  }

  private addRepeat(program: Program, { node, min, max }: Node & { kind: "repeat" }, isBehind: boolean): void {
    for (let i = 0; i < min; i++) this.add(program, node, isBehind);
    const splits: { op: "split"; to: number }[] = [];
    const begin = program.length;
    for (let i = min; i < (max === Infinity ? min + 1 : max); i++) {
      const split = { op: "split" as const, to: 0 };
      splits.push(split);
      this.push(program, split);
      this.add(program, node, isBehind);
    }
    if (max === Infinity) this.push(program, { op: "jump", to: begin });
    for (const split of splits) split.to = program.length;
  }

  private push(program: Program, instruction: Instruction): void {
    this.grow();
    program.push(instruction);
  }

  private grow(): void {
    if (++this.count > 2 * maxInstructions) throw new PatternError("it repeats too much to be checked");
  }
}

class TooManySteps extends Error {}

class Matcher {
  private steps = 0;
  private tried = new Map<Program, Uint32Array>();
  private rounds = new Map<Program, number>();
  private chars: string[];

  constructor(chars: string[]) {
    this.chars = chars.slice(0, maxPatternText);
  }

  /** Whether there is a match anywhere in the text. */
  search(program: Program): boolean {
    try {
      for (let at = 0; at <= this.chars.length; at++) {
        if (this.run(program, at, 1, 1)) return true; // what has failed in one round fails in all
      }
      return false;
    } catch (error) {
      if (error instanceof TooManySteps) return true;
      throw error;
    }
  }

  private run(program: Program, from: number, step: 1 | -1, round: number): boolean {
    const places = this.chars.length + 1;
    let tried = this.tried.get(program);
    if (!tried) this.tried.set(program, (tried = new Uint32Array(program.length * places)));
    const open = [0, from];
    while (open.length > 0) {
      let at = open.pop()!;
      let next = open.pop()!;
      for (;;) {
        const key = next * places + at;
        if (tried[key] === round) break;
        tried[key] = round;
        if (++this.steps > maxSteps) throw new TooManySteps();
        const instruction = program[next]!;
        if (instruction.op === "match") return true;
        if (instruction.op === "char") {
          const char = this.chars[step === 1 ? at : at - 1];
          if (char === undefined || !instruction.test(char)) break;
          at += step;
          next++;
        } else if (instruction.op === "jump") {
          next = instruction.to;
        } else {
          if (instruction.op === "split") open.push(instruction.to, at);
          else if (!this.holds(instruction, at)) break;
          next++;
        }
      }
    }
    return false;
  }

  private holds(instruction: Instruction & { op: "place" | "look" }, at: number): boolean {
    if (instruction.op === "place") return this.isAt(instruction.name, at);
    const round = (this.rounds.get(instruction.program) ?? 0) + 1;
    this.rounds.set(instruction.program, round);
    return this.run(instruction.program, at, instruction.isBehind ? -1 : 1, round) !== instruction.isNegated;
  }

  private isAt(place: Place, at: number): boolean {
    if (place === "^") return at === 0;
    if (place === "$") return at === this.chars.length;
    const isEdge = isWord(this.chars[at - 1]) !== isWord(this.chars[at]);
    return (place === "\\b") === isEdge;
  }
}

const isWord = (char: string | undefined) => char !== undefined && /^\w$/.test(char);
