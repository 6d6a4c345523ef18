type Named = { id: string | number; name: string };

/** The options of a `select` of values. */
export function Options<Value extends string | number>({ of, words = String }: { of: readonly Value[]; words?: (value: Value) => string }) {
  return of.map((value) => (
    <option key={value} value={value}>
      {words(value)}
    </option>
  ));
}

/** The options of a `select` of records. */
export function NamedOptions({ of = [] }: { of?: readonly Named[] }) {
  return of.map(({ id, name }) => (
    <option key={id} value={id}>
      {name}
    </option>
  ));
}
