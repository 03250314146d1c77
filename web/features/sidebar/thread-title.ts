type Titled = { readonly title?: string | null | undefined }

/** The title shown for a thread without one. */
export const titleOf = (thread: Titled): string => thread.title || 'New thread'
