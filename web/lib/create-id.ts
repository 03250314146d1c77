import { idChars, idFrom } from '../../worker/contract/ids.ts'

/** A new id, created in the browser so that a row has its final id before the server receives it. */
export const createId = (): string => idFrom(crypto.getRandomValues(new Uint8Array(idChars)))
