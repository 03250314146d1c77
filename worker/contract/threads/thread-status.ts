/** True while a thread has a running turn. */
export const isBusy = (thread: { readonly status?: string | null | undefined } | undefined): boolean =>
  (thread?.status ?? 'ready') !== 'ready'
