/** Shared links: a public page of one branch of a thread, up to one message. */
import { boolean, number, string, table } from '@rocicorp/zero'

export const share = table('share')
  .columns({
    /** The address of the page contains the id, so the id must not be guessable. */
    id: string(),
    userId: string(),
    threadId: string(),
    /** The last message of the shared branch. */
    messageId: string(),
    /** The title of the page. It stays when the thread is renamed. */
    title: string().optional(),
    /** The name that the page shows. Null: none. */
    name: string().optional(),
    /** True if search engines may list the page. */
    isListed: boolean(),
    createdAt: number(),
    /** Null: never. */
    expiresAt: number().optional(),
    revokedAt: number().optional(),
  })
  .primaryKey('id')

const dayMs = 24 * 60 * 60 * 1000
export const shareLifetimesMs = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const
export type ShareLifetime = keyof typeof shareLifetimesMs
export const shareLifetimes = Object.keys(shareLifetimesMs) as [ShareLifetime, ...ShareLifetime[]]

export const sharePath = (id: string): string => `/share/${id}`
export const sharedFilePath = (id: string, index: number): string => `${sharePath(id)}/files/${index}`
/** The page of the app that copies a shared thread. `copyId` becomes the id of the new thread, so that a repeated request copies once. */
export const continuePath = (id: string, copyId: string): string => `/continue/${id}?copy=${copyId}`
