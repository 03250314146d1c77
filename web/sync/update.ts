/**
 * Consequences of a newer server, or of a newer page in another tab. When the client stops, it returns all undelivered writes; messages
 * then become drafts and survive a reload.
 */
import type { UpdateNeededReason } from '@rocicorp/zero'

/** `now`: this page can no longer read or write. `whenever`: it continues to work until the user reloads. */
export type Urgency = 'now' | 'whenever'

export function urgencyOf(type: UpdateNeededReason['type']): Urgency {
  switch (type) {
    case 'NewClientGroup':
      return 'whenever'
    case 'VersionNotSupported':
    case 'SchemaVersionNotSupported':
      return 'now'
  }
}
