/** Keys of the drafts in a browser of threads that do not exist yet. The draft of a thread has the thread's id. */

export const newThreadKey = 'new'
export const temporaryKey = 'temporary'

/** The key of the draft for the next new thread or temporary thread. */
export const newDraftKey = (isTemporary: boolean) => (isTemporary ? temporaryKey : newThreadKey)

/** True if the message of this draft starts a thread. */
export const isNewThread = (key: string): boolean => key === newThreadKey || key === temporaryKey

/** The revision of a draft that became a message. Within the length of an id. */
export const sentRevision = (revision: string): string => `${revision.slice(0, 40)}-sent`
