// Leaves out of marked what makes HTML: of it only the lexer is used.

/** A plugin of Vite. A version of marked that has another form fails the build, so that it is looked at again. */
export function lexerOnly() {
  return {
    name: "lexer-only",
    transform(code, id) {
      if (!/\/marked\/lib\/marked\.esm\.js$/.test(id.split("?")[0])) return null;
      const end = code.search(/var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse\(/);
      const [, lexer] = /(\w+) as Lexer\b/.exec(code) ?? [];
      const [, tokenizer] = /(\w+) as Tokenizer\b/.exec(code) ?? [];
      if (end < 0 || !lexer || !tokenizer) this.error("marked has another form than the one that is known");
      return { code: `${code.slice(0, end)}export{${lexer} as Lexer,${tokenizer} as Tokenizer};`, map: null };
    },
  };
}
