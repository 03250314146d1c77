/**
 * The mutators of saved prompts. The shared copy is a row of the directory that the members of an organization read. The author's writes
 * keep it equal to the prompt. It has the id of the prompt, so a prompt is shared with one organization at a time.
 */

import { contentStepBytes, maxPrompts, maxSharedPrompts, maxSharedPromptsPerMember } from '../contract/limits.ts'
import { mustHaveStorage, type Tx } from '../contract/mutator-rules.ts'
import { roleOf } from '../contract/organizations/organization.ts'
import { refuse } from '../contract/refuse.ts'
import { type RowOf, zql } from '../contract/schema.ts'
import { deletePromptArgs, savePromptArgs, sharePromptArgs } from '../contract/threads/prompt-args.ts'
import { defineServerMutator } from './server-mutator.ts'

type Prompt = Pick<RowOf<'prompt'>, 'id' | 'name' | 'text'>

const save = defineServerMutator(savePromptArgs, async ({ tx, args: saved, ctx: { userId, nowMs } }) => {
  const stored = await findPrompt(tx, userId, saved.id)
  if (stored?.deletedAt != null) throw refuse('not_found')
  const shared = await findShared(tx, saved.id)
  const isShared = shared?.userId === userId && shared.deletedAt == null
  // With two databases the copy is written first, so D1 must not refuse the prompt after it. The usage row is rounded down by up to a step.
  if (isShared) await mustHaveStorage(tx, { userId }, nowMs, { bytes: contentStepBytes + JSON.stringify(saved).length, rows: 0 })
  if (stored) await tx.mutate.prompt.update({ ...saved, updatedAt: nowMs })
  else {
    const prompts = await tx.run(zql.prompt.where('userId', userId))
    if (prompts.length >= maxPrompts) throw refuse('prompt_limit_reached')
    await tx.mutate.prompt.insert({ ...saved, userId, createdAt: nowMs, updatedAt: nowMs })
  }
  if (isShared) await publish(tx, saved, shared, nowMs)
})

const remove = defineServerMutator(deletePromptArgs, async ({ tx, args: { id }, ctx: { userId, nowMs } }) => {
  await mustFindPrompt(tx, userId, id)
  await tx.mutate.prompt.update({ id, deletedAt: nowMs })
  const shared = await findShared(tx, id)
  if (shared?.userId === userId && shared.deletedAt == null) await withdraw(tx, id, nowMs)
})

/** Undoes a deletion. The prompt is shared again if the deletion ended its sharing and the author is still a member. */
const restore = defineServerMutator(deletePromptArgs, async ({ tx, args, ctx: { userId, nowMs } }) => {
  const prompt = await findPrompt(tx, userId, args.id)
  if (!prompt) throw refuse('not_found')
  if (prompt.deletedAt == null) return
  await tx.mutate.prompt.update({ id: prompt.id, deletedAt: null })
  const shared = await findShared(tx, prompt.id)
  if (shared?.userId === userId && shared.deletedAt === prompt.deletedAt) await publish(tx, prompt, shared, nowMs)
})

const share = defineServerMutator(sharePromptArgs, async ({ tx, args: { id, organizationId }, ctx: { userId, nowMs } }) => {
  const shared = await findShared(tx, id)
  if (organizationId === null) return endSharing(tx, id, shared, userId, nowMs)
  const prompt = await mustFindPrompt(tx, userId, id)
  const membership = await membershipIn(tx, organizationId, userId)
  if (!membership) throw refuse('not_found')
  // Another member's shared prompt has this id.
  if (shared && shared.userId !== userId) throw refuse('invalid_request')
  const others = (await tx.run(zql.sharedPrompt.where('organizationId', organizationId))).filter((other) => other.id !== id)
  if (others.length >= maxSharedPrompts) throw refuse('shared_prompt_limit_reached')
  if (others.filter((other) => other.userId === userId).length >= maxSharedPromptsPerMember) throw refuse('member_prompt_limit_reached')
  await publish(tx, prompt, { organizationId, memberId: membership.id, userId }, nowMs)
})

export const promptMutators = { save, delete: remove, restore, share }

/**
 * The author and the administrators of the organization may end the sharing; other members are not authorized. To all other users, the prompt
 * does not exist. Ending a sharing that does not exist changes nothing.
 */
async function endSharing(tx: Tx, id: string, shared: RowOf<'sharedPrompt'> | undefined, userId: string, nowMs: number): Promise<void> {
  if (shared?.userId !== userId) {
    const membership = shared && (await membershipIn(tx, shared.organizationId, userId))
    if (!membership) return void (await mustFindPrompt(tx, userId, id))
    if (roleOf(membership.role) === 'member') throw refuse('not_authorized')
  }
  if (shared && shared.deletedAt == null) await withdraw(tx, id, nowMs)
}

const publish = (
  tx: Tx,
  { id, name, text }: Prompt,
  { organizationId, memberId, userId }: Pick<RowOf<'sharedPrompt'>, 'organizationId' | 'memberId' | 'userId'>,
  nowMs: number,
): Promise<void> => tx.mutate.sharedPrompt.upsert({ id, organizationId, memberId, userId, name, text, updatedAt: nowMs, deletedAt: null })

/** The row stays, so that a late write does not share the prompt again. Its name and text are removed. */
const withdraw = (tx: Tx, id: string, nowMs: number): Promise<void> =>
  tx.mutate.sharedPrompt.update({ id, name: '', text: '', updatedAt: nowMs, deletedAt: nowMs })

const findPrompt = (tx: Tx, userId: string, id: string): Promise<RowOf<'prompt'> | undefined> =>
  tx.run(zql.prompt.where('id', id).where('userId', userId).one())

/** A deleted prompt is refused like one that does not exist. */
async function mustFindPrompt(tx: Tx, userId: string, id: string): Promise<RowOf<'prompt'>> {
  const prompt = await findPrompt(tx, userId, id)
  if (!prompt || prompt.deletedAt != null) throw refuse('not_found')
  return prompt
}

/** The replica has the rows of the user's own organizations only. */
const findShared = (tx: Tx, id: string): Promise<RowOf<'sharedPrompt'> | undefined> => tx.run(zql.sharedPrompt.where('id', id).one())

const membershipIn = (tx: Tx, organizationId: string, userId: string): Promise<RowOf<'member'> | undefined> =>
  tx.run(zql.member.where('organizationId', organizationId).where('userId', userId).one())
