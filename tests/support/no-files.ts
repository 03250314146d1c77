/** The files of a conversation that has none. */
import type { AttachedFiles } from '../../worker/chat/model/files.ts'

export const noFiles: AttachedFiles = { slots: new Map(), partsOf: () => [], madePartsOf: () => [] }
