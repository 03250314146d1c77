/** Work that must not compete with the user: when the page is idle, and not on a connection where bytes cost money. */

/** Resolves when the page is idle, after 2 s at the latest. */
export const whenIdle = (): Promise<void> =>
  new Promise((resolve) => {
    // Safari has no idle callbacks.
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 2000 })
    else setTimeout(resolve, 200)
  })

/** The user's Data Saver setting, which only Chromium reports. */
export const savesData = (): boolean => 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true
