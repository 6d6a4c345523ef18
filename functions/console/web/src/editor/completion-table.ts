/** A name that code can use. Numbers are indexes of CompletionTable.types. */
export type Member = {
  /** Name. */
  n: string;
  /** Signature or type, as TypeScript writes it. */
  s?: string;
  /** The comment of its declaration. */
  d?: string;
  /** Its own members. */
  t?: number;
  /** The members of a call's result; if a is set, of the awaited result. */
  r?: number;
  a?: 1;
  /** The members of an instance. */
  i?: number;
};

/** All that functions can use, made of the declarations when the page is built; see build/completions.ts. */
export type CompletionTable = {
  globals: Member[];
  modules: Member[];
  /** Types that the editor knows by name. */
  named: Record<string, number>;
  types: Member[][];
};
