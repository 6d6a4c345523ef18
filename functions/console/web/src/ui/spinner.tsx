import { common } from "../text";

/** Says that something is on its way. */
export function Spinner() {
  return (
    <p class="spinner" role="status">
      {common("loading")}
    </p>
  );
}
