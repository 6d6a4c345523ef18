import { useSignal } from "@preact/signals";
import { FileAudio, FileIcon, FileImage, FileVideo, Link } from "lucide-preact";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { bytes } from "~/format";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { copy } from "~/ui/copy";
import { ErrorNote } from "~/ui/error-note";
import { LoadedList } from "~/ui/loaded-list";
import { usePages } from "~/ui/more";
import { RowButtons } from "~/ui/row-buttons";

type FileRecord = components["schemas"]["OwnedFile"];
type Where = components["schemas"]["Where"];

const t = texts({
  category: ["Category", "分类"],
  copyLink: ["Copy link: {name}", "复制链接：{name}"],
  created: ["Uploaded", "上传时间"],
  deleteText: ["The file can no longer be downloaded. Rows that contain it keep a broken link. This can't be undone.", "文件将无法下载，引用它的数据会保留失效的链接。此操作不可撤销。"],
  deleteTitle: ["Delete {name}?", "删除 {name}？"],
  file: ["File", "文件"],
  list: ["Files", "文件"],
  size: ["Size", "大小"],
});

const PAGE = 50;

/** The files that match a condition, the newest first. `version` counts what must have it read again. */
export function FileList({ where, none, version = 0, owner = true }: { where?: Where; none: preact.ComponentChild; version?: number; owner?: boolean }) {
  const action = useAction();
  const files = usePages(
    PAGE,
    (limit) => ask(api.POST("/oserve/v2.2/file/query/", { body: { where, limit } })),
    [place.value, JSON.stringify(where), version],
  );

  const remove = ({ id, name }: FileRecord) =>
    action.confirmed({ title: t("deleteTitle", { name }), text: t("deleteText"), action: common("delete") }, async () => {
      await ask(api.DELETE("/oserve/v2.2/file/{id}/", { params: { path: { id } } }));
      await files.reload();
    });

  const columns = [
    { label: "", cell: (file: FileRecord) => <Preview file={file} /> },
    { label: t("file"), by: (file: FileRecord) => file.name, cell: (file: FileRecord) => <Name file={file} /> },
    { label: t("size"), by: (file: FileRecord) => file.size, numeric: true, cell: (file: FileRecord) => bytes(file.size) },
    { label: t("category"), by: (file: FileRecord) => file.category?.name, cell: (file: FileRecord) => <span class="clip">{file.category?.name ?? "–"}</span> },
    ...(owner ? [{ label: common("user"), by: (file: FileRecord) => file.created_by, cell: (file: FileRecord) => <Owner id={file.created_by} /> }] : []),
    { label: t("created"), by: (file: FileRecord) => file.created_at, cell: (file: FileRecord) => <Ago at={file.created_at} /> },
    {
      label: "",
      cell: (file: FileRecord) => (
        <>
          <button class="icon" title={t("copyLink", { name: file.name })} aria-label={t("copyLink", { name: file.name })} onClick={() => copy(file.path)}>
            <Link size={14} />
          </button>
          <RowButtons name={file.name} onDelete={() => remove(file)} />
        </>
      ),
    },
  ];
  return (
    <>
      <ErrorNote error={action.failure.value} />
      <LoadedList label={t("list")} from={files} none={none} rowKey={(file) => file.id} columns={columns} />
    </>
  );
}

function Name({ file }: { file: FileRecord }) {
  return (
    <div class="file-name">
      <a class="clip" href={file.path} target="_blank" rel="noreferrer">
        <bdi>{file.name}</bdi>
      </a>
      <small class="quiet">{file.mime_type}</small>
    </div>
  );
}

const ICONS = { image: FileImage, music: FileAudio, video: FileVideo, other: FileIcon };

/** A picture as it is, where browsers show it in place; else the kind of the file. */
function Preview({ file }: { file: FileRecord }) {
  const broken = useSignal(false);
  if (file.media_type === "image" && file.mime_type !== "image/svg+xml" && !broken.value) {
    return <img class="preview" src={file.path} alt="" loading="lazy" width={40} height={40} onError={() => (broken.value = true)} />;
  }
  const Icon = ICONS[file.media_type as keyof typeof ICONS] ?? FileIcon;
  return <Icon class="preview" size={20} aria-hidden="true" />;
}

function Owner({ id }: { id: number }) {
  return id === 0 ? <>–</> : <a href={link("users", id)}>{id}</a>;
}
