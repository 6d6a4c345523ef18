import { useSignal } from "@preact/signals";
import { Upload, Zap } from "lucide-preact";

import { api, ask } from "~/api/client";
import { command } from "~/api/requests";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { texts } from "~/text";
import { Choice } from "~/ui/choice";
import { Empty } from "~/ui/empty";
import { useFilter } from "~/ui/filter";
import { useLoad } from "~/ui/load";
import { useNewButton } from "~/ui/new-button";
import { Page } from "~/ui/page";
import { Search } from "~/ui/search";
import { Tabs } from "~/ui/tabs";
import { useMaking } from "~/ui/use-making";
import { Views } from "~/ui/views";
import { Categories } from "./categories";
import { FileList } from "./file-list";
import { Uploader } from "./uploader";

const t = texts({
  categories: ["Categories", "分类"],
  category: ["Category", "分类"],
  image: ["Images", "图片"],
  music: ["Audio", "音频"],
  none: ["No files yet", "还没有文件"],
  noneLike: ["No files match these filters.", "没有符合条件的文件。"],
  other: ["Other", "其他"],
  search: ["File name", "文件名包含"],
  teach: ["Files that mini-programs and functions upload appear here. You can also upload files yourself.", "小程序和云函数上传的文件会显示在这里，也可以在此上传文件。"],
  title: ["Files", "文件"],
  triggers: ["File triggers", "文件触发器"],
  type: ["Type", "类型"],
  upload: ["Upload files", "上传文件"],
  video: ["Video", "视频"],
});

const KINDS = ["image", "music", "video", "other"] as const;
type Kind = (typeof KINDS)[number];
type Where = components["schemas"]["Where"];

/** The files of the environment, and their categories. */
export function Files() {
  const uploading = useMaking();
  const uploaded = useSignal(0);
  const categories = useLoad(
    () => ask(api.GET("/oserve/v2.2/file-category/", { params: { query: { limit: 1000, order_by: "name" } } })),
    [place.value],
  );
  const button = useNewButton(t("upload"), () => (uploading.value = true), { icon: Upload });
  const actions = (
    <>
      <a class="button" href={link("triggers") + "?type=file_operation"}>
        <Zap size={16} /> {t("triggers")}
      </a>
      {button}
    </>
  );
  const all = categories.data?.objects ?? [];
  return (
    <Page title={t("title")} actions={actions}>
      <Tabs
        label={t("title")}
        tabs={[
          { key: "files", label: t("title"), panel: () => <All categories={all} version={uploaded.value} button={button} /> },
          { key: "categories", label: t("categories"), panel: () => <Categories /> },
        ]}
      />
      <Uploader
        open={uploading.value}
        categories={all}
        onClose={() => (uploading.value = false)}
        onUploaded={async () => void uploaded.value++}
      />
    </Page>
  );
}

type AllProps = { categories: readonly components["schemas"]["ListedCategory"][]; version: number; button: preact.ComponentChild };

function All({ categories, version, button }: AllProps) {
  const typed = useFilter<string>("search");
  const category = useFilter<string>("category");
  const kind = useFilter<Kind | "">("kind");
  const where: Where = {
    ...(typed.value.trim() && { name: { $icontains: typed.value.trim() } }),
    ...(category.value && { category_id: category.value }),
    ...(kind.value && { media_type: kind.value }),
  };
  const filtered = Object.keys(where).length > 0;

  return (
    <>
      <form class="row filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <Search label={t("search")} filter={typed} />
        <Choice
          label={t("category")}
          values={categories.map(({ id }) => id)}
          words={(id) => categories.find((one) => one.id === id)?.name ?? id}
          filter={category}
        />
        <Choice label={t("type")} values={KINDS} words={t} filter={kind} />
        <Views list="files" />
      </form>
      <FileList where={filtered ? where : undefined} version={version} none={<None filtered={filtered} button={button} />} />
    </>
  );
}

function None({ filtered, button }: { filtered: boolean; button: preact.ComponentChild }) {
  if (filtered) return <p class="quiet">{t("noneLike")}</p>;
  return (
    <Empty title={t("none")} action={button} curl={command("/oserve/v2.1/upload/", { filename: "photo.png" })}>
      <p>{t("teach")}</p>
    </Empty>
  );
}
