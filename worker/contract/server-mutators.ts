/**
 * Mutators without optimistic rows. Only the server runs them and checks their arguments (`worker/turns/write-*.ts`), because every page loads
 * the mutators.
 */
import { defineMutator } from '@rocicorp/zero'
import type { SaveDraftArgs } from './draft-args.ts'
import type { ImportArgs } from './import-args.ts'
import type { DeletePromptArgs, SavePromptArgs, SharePromptArgs } from './prompt-args.ts'
import type { CreateShareArgs, RevokeShareArgs } from './share-args.ts'

/**
 * Adds threads that another product exported. The browser derives all ids from the ids in the file, so a repeated import finds the rows that
 * exist and adds only new messages. With optimistic rows, the browser would write every unconfirmed part of the import again after each change.
 */
export const importThreads = defineMutator(async (_: { readonly args: ImportArgs }) => undefined)

/** A shared page is created or removed only when the server has answered. */
export const shareMutators = {
  create: defineMutator(async (_: { readonly args: CreateShareArgs }) => undefined),
  revoke: defineMutator(async (_: { readonly args: RevokeShareArgs }) => undefined),
}

export const promptMutators = {
  /** Creates or changes a prompt, and its shared copy. */
  save: defineMutator(async (_: { readonly args: SavePromptArgs }) => undefined),
  /** Also ends its sharing. */
  delete: defineMutator(async (_: { readonly args: DeletePromptArgs }) => undefined),
  restore: defineMutator(async (_: { readonly args: DeletePromptArgs }) => undefined),
  /** Shares a prompt with one organization, or with null ends the sharing. */
  share: defineMutator(async (_: { readonly args: SharePromptArgs }) => undefined),
}

export const draftMutators = { save: defineMutator(async (_: { readonly args: SaveDraftArgs }) => undefined) }
