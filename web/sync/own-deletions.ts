/** Deletions made by this page, by the id of the deleted row, each with the follow-up of its undo. */
const followUps = new Map<string, () => void>()

export const announceOwnDeletion = (id: string, whenUndone: () => void = () => {}): void => void followUps.set(id, whenUndone)

/** Undefined for a deletion made by another page. */
export const ownDeletion = (id: string): (() => void) | undefined => followUps.get(id)

export const removeOwnDeletion = (id: string): void => void followUps.delete(id)
