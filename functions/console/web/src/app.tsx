import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ErrorBoundary, Route, Router, useLocation } from "preact-iso";

import { pages } from "./page/pages";
import { SignIn, SignInAgain } from "./page/sign-in";
import { Start } from "./page/start";
import { path } from "./place";
import { ended, refresh, session, unreachable } from "./session";
import { NotFound } from "./shell/not-found";
import { Outdated, Unreachable } from "./shell/unreachable";
import { Shell } from "./shell/shell";
import { language } from "./text";
import { Locations } from "./ui/locations";
import { Spinner } from "./ui/spinner";

effect(() => {
  document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
});

/**
 * The whole page: who is signed in decides whether there is more than a sign-in form. When the session ends the page
 * stays, with what is not saved in it, and nobody sees it until its account signs in again.
 */
export function App() {
  useEffect(() => void refresh(), []);
  if (session.value === null) return <SignIn />;
  if (session.value === undefined) return unreachable.value === undefined ? <Spinner /> : <Unreachable />;
  return (
    <>
      <div class="page" hidden={ended.value}>
        <Locations>
          <Routes />
        </Locations>
      </div>
      {ended.value && <SignInAgain />}
    </>
  );
}

function Routes() {
  path.value = useLocation().path;
  return (
    <Shell>
      <Outdated />
      <ErrorBoundary>
        <Router>
          {pages.map(({ path, component }) => (
            <Route key={path} path={"/console/:app/:env" + path} component={component} />
          ))}
          <Route path="/console" component={Start} />
          <Route path="/console/:app" component={Start} />
          <Route default component={NotFound} />
        </Router>
      </ErrorBoundary>
    </Shell>
  );
}
