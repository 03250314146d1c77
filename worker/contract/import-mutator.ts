/**
 * Adds threads that another product exported. The browser derives all ids from the ids in the file, so a repeated import finds the rows that
 * exist and adds only new messages. Only the server writes them (worker/turns/import-threads.ts): a browser would run every unconfirmed part of
 * the import again after each change. The server also checks the arguments.
 */
import { defineMutator } from '@rocicorp/zero'
import type { ImportArgs } from './import-args.ts'

export const importThreads = defineMutator(async (_: { readonly args: ImportArgs }) => undefined)
