import { application } from "~/session";
import { texts } from "~/text";
import { Page } from "~/ui/page";

const t = texts({ title: ["Overview", "概览"] });

/** The first page of an environment. */
export function Overview() {
  return (
    <Page title={t("title")}>
      <p>{application.value?.name}</p>
    </Page>
  );
}
