type Titled = { readonly title?: string | null | undefined }

/** What a thread is called while it has no title yet. */
export const titleOf = (thread: Titled): string => thread.title || 'New thread'
