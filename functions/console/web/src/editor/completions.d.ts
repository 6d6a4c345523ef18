declare module "virtual:completions" {
  const table: import("./completion-table").CompletionTable;
  export default table;
}
