import { api, ApiError, ask } from "~/api/client";

/** The largest file that the receiver takes. */
export const MOST_BYTES = 4 << 20;

/** Uploads a file in the two steps of the API. The receiver has the origin of the API, so its address is not needed. */
export async function upload(file: File, category: string): Promise<void> {
  const body = { filename: file.name, category_id: category || undefined };
  const { upload_url, policy, authorization } = await ask(api.POST("/oserve/v2.1/upload/", { body }));
  const form = new FormData();
  form.append("policy", policy);
  form.append("authorization", authorization);
  form.append("file", file);

  const answer = await fetch(new URL(upload_url).pathname, { method: "POST", body: form });
  if (answer.ok) return;
  const said = (await answer.json().catch(() => ({}))) as { error_msg?: string; message?: string };
  throw new ApiError(answer.status, said.error_msg ?? said.message ?? `${answer.status} ${answer.statusText}`);
}
