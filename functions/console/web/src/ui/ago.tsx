import { ago, minute, moment, toDate } from "../format";

/** A moment as its distance from now, with its date; to the second in the title. */
export function Ago({ at }: { at: number | string | null | undefined }) {
  const date = toDate(at);
  if (!date) return <span class="quiet">–</span>;
  return (
    <time dateTime={date.toISOString()} title={moment(date)}>
      <span>{ago(date)}</span> <small>{minute(date)}</small>
    </time>
  );
}
