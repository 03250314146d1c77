/** What this page has taken away itself, and what has to happen here besides when it comes back. */
const followUps = new Map<string, () => void>()

export const announceOwnDeletion = (id: string, whenUndone: () => void = () => {}): void => void followUps.set(id, whenUndone)

/** Undefined for what another page took away. */
export const ownDeletion = (id: string): (() => void) | undefined => followUps.get(id)

export const forgetOwnDeletion = (id: string): void => void followUps.delete(id)
