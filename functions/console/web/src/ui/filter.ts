import { useLocation } from "preact-iso";

/** A filter of a list, kept in the address, so that links and the Back button restore it. */
export type Filter<Value extends string> = { value: Value };

/** The filter that the address names so; where it says nothing, `none`. */
export function useFilter<Value extends string>(name: string, none: Value = "" as Value): Filter<Value> {
  const { query, route } = useLocation();
  return {
    get value() {
      return (query[name] as Value | undefined) ?? none;
    },
    set value(next: Value) {
      const params = new URLSearchParams(location.search);
      if (next === none) params.delete(name);
      else params.set(name, next);
      route(addressWith(params), true);
    },
  };
}

/** The address of the page that is shown with other filters. */
export function addressWith(params: URLSearchParams): string {
  const query = params.toString();
  return location.pathname + (query && "?" + query);
}
