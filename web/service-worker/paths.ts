/** Which addresses the service worker answers when the network does not. */

/** The page without data of a user; see `serveShell`. */
export const shellPath = '/shell'

/** The API, files, shared pages, and the page of a magic link, which needs data of the server, always go to the network. */
export const isPage = (pathname: string): boolean =>
  !/^\/(api|_serverFn|sync|magic-link|share)(\/|$)/.test(pathname) && !pathname.slice(pathname.lastIndexOf('/') + 1).includes('.')
