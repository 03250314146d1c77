/** Deletions made by this page, with the follow-up of their undo. */

/** Threads that were deleted together have one `group`. */
type OwnDeletion = { readonly whenUndone: () => void; readonly group: string }
const ownDeletions = new Map<string, OwnDeletion>()

export const announceOwnDeletion = (id: string, whenUndone: () => void = () => {}, group = id): void =>
  void ownDeletions.set(id, { whenUndone, group })

/** Undefined for a deletion made by another page. */
export const ownDeletion = (id: string): OwnDeletion | undefined => ownDeletions.get(id)

export const removeOwnDeletion = (id: string): void => void ownDeletions.delete(id)
