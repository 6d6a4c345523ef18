import { useSignal } from "@preact/signals";
import { LogIn } from "lucide-preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import { signIn } from "../session";
import { Preferences } from "../shell/preferences";
import { common, texts } from "../text";
import { ErrorNote } from "../ui/error-note";
import { Input } from "~/ui/field";

const t = texts({
  title: ["Sign in to minicloud", "登录 minicloud"],
  ended: ["Your session has expired. Sign in to continue. Unsaved changes are kept.", "会话已结束。登录后可继续，未保存的更改会保留。"],
  password: ["Password", "密码"],
  signIn: ["Sign in", "登录"],
  hint: [
    "Running locally? make run saved both in .local/credentials.json.",
    "本机运行时，make run 已将二者写入 .local/credentials.json。",
  ],
});

/** The sign-in form above a page whose session has ended; a dialog, so that it covers open dialogs. */
export function SignInAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="again" aria-label={t("title")} onCancel={(event) => event.preventDefault()}>
      <SignIn ended />
    </dialog>
  );
}

/** The page without a session. */
export function SignIn({ ended = false }: { ended?: boolean }) {
  const failure = useSignal<unknown>(undefined);
  const busy = useSignal(false);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    busy.value = true;
    try {
      await signIn(String(form.get("email")), String(form.get("password")));
    } catch (error) {
      failure.value = error;
    } finally {
      busy.value = false;
    }
  }

  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <img src="/console/icon.svg" alt="" width="48" height="48" />
        <h1>{t("title")}</h1>
        {ended && <p role="status">{t("ended")}</p>}
        <Input label={common("email")} name="email" type="email" autocomplete="username" required autofocus />
        <Input label={t("password")} hint={t("hint")} name="password" type="password" autocomplete="current-password" required />
        <ErrorNote error={failure.value} />
        <button class="wa-brand" disabled={busy.value}>
          <LogIn size={16} /> {t("signIn")}
        </button>
      </form>
      <Preferences />
    </main>
  );
}
