/**
 * What a newer server, or a newer page in another tab, means for this one. When the client stops it gives back every write that it
 * could not deliver; what a person wrote is then a draft again, and survives a reload.
 */
import type { UpdateNeededReason } from '@rocicorp/zero'

/** `now`: this page can no longer read or write. `whenever`: it goes on working until the person is ready. */
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
