import { idBytes, idFrom } from '../../worker/contract/ids.ts'

/** A fresh id, made here so that a row has its name before the server has seen it. */
export const createId = (): string => idFrom(crypto.getRandomValues(new Uint8Array(idBytes)))
