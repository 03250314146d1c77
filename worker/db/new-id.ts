/** Ids made on the server; their form is the contract's. */
import { idBytes, idFrom } from '../contract/ids.ts'

export const newId = (): string => idFrom(crypto.getRandomValues(new Uint8Array(idBytes)))
