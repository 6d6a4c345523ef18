/** A value as indented JSON. Text only: whatever stands in it stays inert. */
export function Json({ value }: { value: unknown }) {
  return (
    <pre class="json" tabIndex={0}>
      {value === undefined ? "" : JSON.stringify(value, null, 2)}
    </pre>
  );
}
