// How a sender of mails is confirmed: with the link and the code that arrive in the outbox of the local cloud.

/** The first group of a pattern in the newest message of the outbox that contains a text. */
async function newest(stage, text, what) {
  const sent = await fetch(stage.base + "/_local/outbox?contains=" + encodeURIComponent(text));
  return JSON.stringify((await sent.json()).at(-1)?.sent).match(what)[1];
}

/** Opens the link with which Amazon SES verifies an address. */
export async function openLink(stage, address) {
  await fetch(stage.base + (await newest(stage, "Verification Request: " + address, /(\/_local\/ses\/verify\?token=\w+)/)));
}

/** The code that was sent to an address. */
export const codeFor = (stage, address) => newest(stage, "Confirm " + address, /\\n([A-Z2-7]{16})\\n/);

/** Sets and confirms a sender with the API. */
export async function confirmSender(stage, api, address) {
  await api("PUT", "/oserve/v3/mail-setting/", { sender: address });
  const { status } = await api("POST", "/oserve/v3/mail-setting/verification/", {});
  if (status === "verifying") {
    await openLink(stage, address);
    await api("POST", "/oserve/v3/mail-setting/verification/", {});
  }
  await api("POST", "/oserve/v3/mail-setting/confirmation/", { code: await codeFor(stage, address) });
}
