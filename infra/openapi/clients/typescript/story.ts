// A story with the types that openapi-typescript makes from the description: a token, a function and its result, a table,
// a row, the row found again. Reads BASE_URL, CLIENT_ID and CLIENT_SECRET.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const { BASE_URL: base = "", CLIENT_ID: client_id = "", CLIENT_SECRET: client_secret = "" } = process.env;
const client = createClient<paths>({ baseUrl: base });

/** The data of a successful answer. */
function data<T>(what: string, answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(`${what}: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

const { code } = data("authorize", await client.POST("/api/oauth2/service/openapi/authorize/", { body: { client_id, client_secret } }));
const tokens = data("exchange the code", await client.POST("/api/oauth2/access_token/", {
  body: { client_id, client_secret, code, grant_type: "authorization_code" },
}));
client.use({
  onRequest: ({ request }) => {
    request.headers.set("Authorization", `Bearer ${tokens.access_token}`);
    return request;
  },
});

const made = data("create a function", await client.POST("/oserve/v1.3/cloud-function/", {
  body: { name: "typescriptClient", function_code: "exports.main = async (event) => `hello ${event.data.name}`" },
}));
const ran = data("run it", await client.POST("/oserve/v1.3/cloud-function/{name}/job/", {
  params: { path: { name: made.name } }, body: { data: { name: "Ada" } },
}));
if (!("data" in ran) || ran.data !== "hello Ada") throw new Error(`it answered ${JSON.stringify(ran)}`);

const table = data("create a table", await client.POST("/oserve/v1.8/table/", {
  body: { name: "typescript_client", schema: { fields: [{ name: "height", type: "number" }] } },
}));
data("create a row", await client.POST("/oserve/v2.4/table/{table}/record/", {
  params: { path: { table: table.name } }, body: { height: 20.5 },
}));
const rows = data("list rows", await client.GET("/oserve/v2.4/table/{table}/record/", {
  params: { path: { table: table.name }, query: { where: JSON.stringify({ height: { $gte: 10 } }) } },
}));
if (rows.objects.length !== 1) throw new Error(`found ${rows.objects.length} rows, want 1`);
