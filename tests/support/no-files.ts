/** The files of a conversation without files. */
import type { AttachedFiles } from '../../worker/chat/model/files.ts'

export const noFiles: AttachedFiles = { slots: new Map(), partsOf: () => [], madePartsOf: () => [], sentIds: new Set() }
