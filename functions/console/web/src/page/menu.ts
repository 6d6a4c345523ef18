import { type PageRoute, pages } from "./pages";

/** The pages of the navigation. */
export const menuPages = pages.filter((page): page is PageRoute & Required<Pick<PageRoute, "menu">> => page.menu !== undefined);
