import { continuedIndent, delimitedIndent, flatIndent, indentNodeProp, LanguageSupport, LRLanguage } from "@codemirror/language";
import { parser } from "@lezer/javascript";

/** How code of functions is indented; the parser already says how it is coloured. */
const indentation = indentNodeProp.add({
  IfStatement: continuedIndent({ except: /^\s*({|else\b)/ }),
  TryStatement: continuedIndent({ except: /^\s*({|catch\b|finally\b)/ }),
  LabeledStatement: flatIndent,
  SwitchBody: (context) => {
    const closed = /^\s*\}/.test(context.textAfter);
    const label = /^\s*(case|default)\b/.test(context.textAfter);
    return context.baseIndent + (closed ? 0 : label ? 1 : 2) * context.unit;
  },
  Block: delimitedIndent({ closing: "}" }),
  ArrowFunction: (context) => context.baseIndent + context.unit,
  "TemplateString BlockComment": () => null,
  "Statement Property": continuedIndent({ except: /^\s*{/ }),
});

/**
 * JavaScript as @codemirror/lang-javascript has it, without JSX and without its snippets: those need
 * @codemirror/autocomplete, 14 KB that reading does not need.
 */
export const javascript = new LanguageSupport(
  LRLanguage.define({
    name: "javascript",
    parser: parser.configure({ props: [indentation] }),
    languageData: {
      closeBrackets: { brackets: ["(", "[", "{", "'", '"', "`"] },
      commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
      indentOnInput: /^\s*(?:case |default:|\{|\}|<\/)$/,
      wordChars: "$",
    },
  }),
);
