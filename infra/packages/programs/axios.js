import axios, { AxiosError } from "axios";
export async function main() {
  const api = axios.create({ baseURL: "http://host/api", headers: { "x-a": "1" }, adapter: async (config) => ({ data: JSON.stringify({ url: axios.getUri(config), method: config.method, sent: config.data ?? null, type: config.headers.getContentType() ?? null, a: config.headers.get("x-a") }), status: config.url === "/bad" ? 404 : 200, statusText: "", headers: {}, config }) });
  api.interceptors.request.use((config) => { config.headers.set("x-b", "2"); return config; }); api.interceptors.response.use((r) => ({ ...r, seen: true }));
  const got = await api.get("/x", { params: { q: "中", list: [1, 2] } }), posted = await api.post("/y", { a: 1 }), form = await api.post("/z", new URLSearchParams({ k: "v w" }));
  const failed = new AxiosError("no", "ERR_X", {}, {}, { status: 404 });
  return [got.data, got.seen, posted.data, form.data, failed.code, axios.isAxiosError(failed), axios.isCancel(new axios.CanceledError()), axios.getUri({ url: "/a", params: { d: new Date(0), n: null } }), axios.toFormData({ a: 1 }, new URLSearchParams()).toString(), axios.VERSION.split(".")[0]];
}
