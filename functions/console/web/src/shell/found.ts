import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";

import { ask, background } from "../api/client";
import { link, place } from "../place";
import { runnerFunction, runnerOpen } from "../runner/state";
import { common, texts } from "../text";
import { useLoad } from "../ui/load";
import type { Command } from "./commands";

const t = texts({
  run: ["Run", "运行"],
  table: ["Table", "数据表"],
});

const MOST_USERS = 8;
const PAUSE_MS = 250;

/** The named objects of this environment: functions, triggers and tables, loaded when the palette opens; with many objects again for each text. */
export function useNamed(typed: string): Command[] {
  const { route } = useLocation();
  const all = useNames("");
  const paused = usePaused(typed.trim());
  const like = useNames(all?.more ? paused : undefined);
  const { functions = [], triggers = [], tables = [] } = (paused && like) || all || {};

  return [
    ...functions.map(({ name }) => ({ label: name, group: common("function"), run: () => route(link("functions", name)) })),
    ...triggers.map(({ id, name }) => ({ label: name, group: common("trigger"), run: () => route(link("triggers", id)) })),
    ...tables.map(({ id, name }) => ({ label: name, group: t("table"), run: () => route(link("tables", id)) })),
    ...functions.map(({ name }) => ({ label: name, group: t("run"), run: () => openRunner(name) })),
  ];
}

/** The names that have a text in them; undefined asks for nothing. */
function useNames(part: string | undefined) {
  const names = useLoad(async () => {
    if (!place.value || part === undefined) return undefined;
    const { app, env } = place.value;
    const params = { path: { application: app }, query: { env, name__contains: part || undefined } };
    return ask(background.GET("/console/api/application/{application}/name/", { params }));
  }, [part, place.value]);
  return names.data;
}

function openRunner(name: string) {
  runnerFunction.value = name;
  runnerOpen.value = true;
}

/** Users by a part of their nickname or their ID; they are too many to load all. */
export function useUsers(typed: string): Command[] {
  const { route } = useLocation();
  const text = usePaused(typed.trim());
  const found = useLoad(async () => {
    if (!place.value || text.length < 2) return [];
    const where = /^\d+$/.test(text) ? { id: Number(text) } : { nickname: { $icontains: text } };
    const body = { where, limit: MOST_USERS };
    return (await ask(background.POST("/userve/v2.2/miniapp/user_profile/query/", { body }))).objects;
  }, [text, place.value]);

  return (found.data ?? []).map(({ id, nickname }) => ({
    label: nickname ? `${nickname} (${id})` : String(id),
    group: common("user"),
    run: () => route(link("users", id)),
  }));
}

/** A text that looks like the id of a trace leads to it. */
export function useTrace(typed: string): Command[] {
  const { route } = useLocation();
  const id = typed.trim();
  if (!place.value || !/^[\w=+/.-]{12,64}$/.test(id) || !/\d/.test(id)) return [];
  return [{ label: id, group: common("trace"), run: () => route(link("trace", id)) }];
}

/** The value that has stayed the same for a moment. */
function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
