
import { api, ask } from "~/api/client";
import { place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Badge } from "~/ui/badge";
import { ErrorNote } from "~/ui/error-note";
import { Input } from "~/ui/field";
import { Form, Submit } from "~/ui/form";
import { useLoad } from "~/ui/load";
import { LoadedList } from "~/ui/loaded-list";
import { RowButtons } from "~/ui/row-buttons";

const t = texts({
  key: ["Key", "键"],
  keyHint: ["Uppercase letters, digits, and _", "大写字母、数字和 _"],
  none: ["No variables yet. Set one here, then read it in code as process.env.KEY.", "还没有变量。代码中用 process.env.KEY 读取。"],
  put: ["Set variable", "设置变量"],
  secret: ["Secret: the value can't be viewed after you save it", "机密：加密保存，不再显示"],
  sealed: ["secret", "机密"],
  deleteTitle: ["Delete {key}?", "删除 {key}？"],
  deleteText: ["Functions lose access to this variable with their next run.", "下一次运行将不再能读取它。"],
  variables: ["Variables", "环境变量"],
});

/** The variables in process.env. */
export function Variables({ name }: { name: string }) {
  const { failure, run, confirmed } = useAction();
  const params = { path: { name } };
  const variables = useLoad(() => ask(api.GET("/oserve/v1.3/cloud-function/{name}/variable/", { params })), [name, place.value]);

  async function put(said: FormData, form: HTMLFormElement): Promise<boolean> {
    const body = { key: String(said.get("key")), value: String(said.get("value")), secret: said.has("secret") };
    return run(async () => {
      await ask(api.PUT("/oserve/v1.3/cloud-function/{name}/variable/", { params, body }));
      form.reset();
      await variables.reload();
    });
  }

  const remove = (key: string) =>
    confirmed({ title: t("deleteTitle", { key }), text: t("deleteText"), action: common("delete"), name: key }, async () => {
      await ask(api.DELETE("/oserve/v1.3/cloud-function/{name}/variable/{key}/", { params: { path: { name, key } } }));
      await variables.reload();
    });

  return (
    <>
      <LoadedList
        label={t("variables")}
        from={variables}
        none={t("none")}
        rowKey={(v) => v.key}
        columns={[
          { label: t("key"), cell: (v) => <code>{v.key}</code> },
          { label: common("value"), cell: (v) => (v.secret ? <Badge tone="quiet">{t("sealed")}</Badge> : <code class="clip">{v.value}</code>) },
          { label: "", cell: (v) => <RowButtons name={v.key} onDelete={() => remove(v.key)} /> },
        ]}
      />
      {mayChange.value && (
        <Form class="card narrow" draft={`variable/${name}`} name={t("variables")} onSubmit={put}>
          <Input label={t("key")} hint={t("keyHint")} name="key" required pattern="[A-Z_][A-Z0-9_]*" maxLength={64} />
          <Input label={common("value")} name="value" data-secret />
          <label class="row">
            <input type="checkbox" name="secret" /> {t("secret")}
          </label>
          <ErrorNote error={failure.value} />
          <p>
            <Submit>{t("put")}</Submit>
          </p>
        </Form>
      )}
    </>
  );
}
