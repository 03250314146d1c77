/**
 * Mutators without optimistic rows. Only the server runs them and checks their arguments (`worker/turns/server-mutators.ts`), because every page
 * loads the mutators.
 */
import { defineMutator, type ReadonlyJSONValue } from '@rocicorp/zero'
import type { MutatorTraits } from './mutator-rules.ts'
import type { ImportArgs } from './threads/import-args.ts'
import type {
  CreateShareArgs,
  DecideApprovalArgs,
  DeleteMemoryArgs,
  DeletePromptArgs,
  RenewApprovalsArgs,
  RevokeGrantArgs,
  RevokeShareArgs,
  SaveDraftArgs,
  SaveMemoryArgs,
  SavePromptArgs,
  SharePromptArgs,
  TurnCreditsArgs,
} from './threads/server-args.ts'

const serverMutator = <Args extends ReadonlyJSONValue>(traits: MutatorTraits = {}) => ({
  ...defineMutator(async (_: { readonly args: Args }) => undefined),
  traits,
})

/**
 * Adds threads that another product exported. The browser derives all ids from the ids in the file, so a repeated import finds the rows that
 * exist and adds only new messages. With optimistic rows, the browser would write every unconfirmed part of the import again after each change.
 */
export const importThreads = serverMutator<ImportArgs>({ isPaced: true })

/** Limits every later answer of the thread, except a research. */
export const setTurnCredits = serverMutator<TurnCreditsArgs>()

/** A shared page is created or removed only when the server has answered. */
export const shareMutators = {
  create: serverMutator<CreateShareArgs>(),
  revoke: serverMutator<RevokeShareArgs>({ reduces: true }),
}

export const promptMutators = {
  /** Creates or changes a prompt, and its shared copy. */
  save: serverMutator<SavePromptArgs>(),
  /** Also ends its sharing. */
  delete: serverMutator<DeletePromptArgs>({ reduces: true }),
  restore: serverMutator<DeletePromptArgs>({ reduces: true }),
  /** Shares a prompt with one organization, or with null ends the sharing. */
  share: serverMutator<SharePromptArgs>(),
}

export const draftMutators = { save: serverMutator<SaveDraftArgs>() }

export const memoryMutators = {
  save: serverMutator<SaveMemoryArgs>(),
  delete: serverMutator<DeleteMemoryArgs>({ reduces: true }),
  restore: serverMutator<DeleteMemoryArgs>({ reduces: true }),
}

/** A call is decided when the server has answered: two devices may decide at the same time. */
export const approvalMutators = {
  decide: serverMutator<DecideApprovalArgs>(),
  /** Asks again for the expired calls of an answer. */
  renew: serverMutator<RenewApprovalsArgs>(),
  /** Ends “Allow for this thread” for one tool. */
  revoke: serverMutator<RevokeGrantArgs>({ reduces: true }),
}
