/** Creates ids on the server, in the format of the contract. */
import { idChars, idFrom } from '../contract/ids.ts'

export const newId = (): string => idFrom(crypto.getRandomValues(new Uint8Array(idChars)))
