import { Lexer, Tokenizer } from "marked";
import { createLexer } from "../../../../shared/markdown/lexer";

/** Lexes Markdown, the same way wherever the console shows it. */
export const lex = createLexer({ Lexer, Tokenizer });
