import { createStore } from '../../../lib/store.ts'

type Place = { readonly messageId: string; readonly element: HTMLElement }

/** The place of the message that is edited; null if it is not rendered or has no room for the form. */
export const editedPlace = createStore<Place | null>(null)
