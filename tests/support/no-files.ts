/** The files of a conversation that has none. */
import type { AttachedFiles } from '../../worker/chat/attached-files.ts'

export const noFiles: AttachedFiles = { slots: new Map(), partsOf: () => [], madePartsOf: () => [] }
