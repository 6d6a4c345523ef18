// Names of 64 characters without a space fit into every page and dialog, on a screen and on a phone.
import { misfits, settled } from "./gallery.mjs";

const LONG = "a_name_as_long_as_the_platform_takes_it_".repeat(2).slice(0, 50);
const SIZES = [{ width: 1440, height: 900 }, { width: 1024, height: 768 }, { width: 390, height: 844 }];

export async function play(stage) {
  const page = await stage.open();
  const name = LONG + Date.now(); // 63 characters
  await stage.api("POST", "/oserve/v1.3/cloud-function/", { name, function_code: "exports.main = async () => 1" });
  const { id } = await stage.api("POST", "/oserve/v3/trigger/", {
    name,
    type: "timer",
    enabled: false,
    condition: { cron: "0 7 * * *" },
    actions: [{ type: "cloud_function", settings: { function: name } }],
  });
  const { job_id: job } = await stage.api("POST", `/oserve/v1.3/cloud-function/${name}/job/`, { data: {}, sync: false });
  try {
    await fits(stage, page, ["functions", name, "runs", String(job)]);
    await fits(stage, page, ["functions", name], () => page.keyboard.press("Control+`"));
    await page.keyboard.press("Control+`");
    await fits(stage, page, ["functions", name], () => page.getByRole("button", { name: "Delete" }).click());
    await fits(stage, page, ["triggers", String(id)]);
    await fits(stage, page, ["triggers", String(id), "edit"]);
  } finally {
    await stage.api("DELETE", `/oserve/v3/trigger/${id}/`);
    await stage.api("DELETE", `/oserve/v1.3/cloud-function/${name}/`);
  }
}

async function fits(stage, page, parts, step) {
  await page.goto(stage.url(...parts));
  await settled(stage, page);
  await step?.();
  await settled(stage, page);
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const misfit of await page.evaluate(misfits)) stage.errors.push(`${parts.join("/")}, ${size.width}: ${misfit}`);
  }
}
