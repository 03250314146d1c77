/**
 * The named mutators: argument schema, and the rules that run on both sides. In the browser they write optimistic rows;
 * on the server the same functions run against the replica and their writes become one D1 batch. What only the server may
 * do (reserving credits, ordering a generation) is added around them in `worker/sync/server-mutators.ts`.
 */
import { ApplicationError, defineMutator, defineMutators, type Transaction } from '@rocicorp/zero'
import * as z from 'zod/mini'
import { planOf, sendRefusal } from './access.ts'
import { refuse } from './errors.ts'
import { idSchema } from './ids.ts'
import { maxBiographyChars, maxInstructionsChars, maxMessageChars, maxNicknameChars, maxPinnedModels, maxTitleChars } from './limits.ts'
import { type RowOf, type Schema, zql } from './schema.ts'
import { modes, themes } from './themes.ts'
import type { Viewer } from './viewer.ts'

type Tx = Transaction<Schema>

/** Epoch ms by the browser's clock; the server replaces it with its own. */
const at = z.int().check(z.gte(0))
const timeOf = (ctx: Viewer, clientMs: number): number => ctx.nowMs ?? clientMs

const turnArgs = {
  threadId: idSchema,
  answerId: idSchema,
  modelId: z.string().check(z.minLength(1), z.maxLength(100)),
  at,
}

/** `parentId` is the message this one follows; editing sends again with the parent of the message it replaces. */
export const sendArgs = z.object({
  ...turnArgs,
  messageId: idSchema,
  parentId: z.nullable(idSchema),
  text: z.string().check(z.maxLength(maxMessageChars, 'message_too_long')),
})

/** Answers `parentId` again: as a new version, or continuing the interrupted answer `continueId`. */
export const answerArgs = z.object({
  ...turnArgs,
  parentId: idSchema,
  continueId: z.optional(idSchema),
})

const threadArgs = z.object({ threadId: idSchema })
const deleteArgs = z.object({ threadId: idSchema, at })
const renameArgs = z.object({
  threadId: idSchema,
  title: z.string().check(z.maxLength(maxTitleChars)),
})

export const settingArgs = z.object({
  mode: z.optional(z.enum(modes)),
  theme: z.optional(z.enum(themes)),
  nickname: z.optional(z.string().check(z.maxLength(maxNicknameChars))),
  biography: z.optional(z.string().check(z.maxLength(maxBiographyChars))),
  instructions: z.optional(z.string().check(z.maxLength(maxInstructionsChars))),
  modelId: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
  pinnedModels: z.optional(z.array(z.string().check(z.maxLength(100))).check(z.maxLength(maxPinnedModels))),
})

export type SendArgs = z.infer<typeof sendArgs>
export type AnswerArgs = z.infer<typeof answerArgs>
export type SettingArgs = z.infer<typeof settingArgs>

const findThread = (tx: Tx, ctx: Viewer, threadId: string): Promise<RowOf<'thread'> | undefined> =>
  tx.run(zql.thread.where('id', threadId).where('userId', ctx.userId).one())

/** A deleted thread answers like one that never was. */
const mustFindThread = async (tx: Tx, ctx: Viewer, threadId: string): Promise<RowOf<'thread'>> => {
  const thread = await findThread(tx, ctx, threadId)
  if (!thread || thread.deletedAt != null) throw refuse('not_found')
  return thread
}

const mustFindMessage = async (tx: Tx, threadId: string, messageId: string): Promise<RowOf<'message'>> => {
  const message = await tx.run(zql.message.where('id', messageId).where('threadId', threadId).one())
  if (!message) throw refuse('not_found')
  return message
}

const isBusy = (thread: RowOf<'thread'>): boolean => (thread.status ?? 'ready') !== 'ready'

/** Refuses a turn this person may not have; the same facts and functions decide on both sides. */
const checkTurn = async (tx: Tx, ctx: Viewer, modelId: string, nowMs: number): Promise<void> => {
  const user = await tx.run(zql.user.where('id', ctx.userId).one())
  const usage = await tx.run(zql.usage.where('userId', ctx.userId).one())
  const customer = await tx.run(zql.userCustomer.where('userId', ctx.userId).one())
  const model = await tx.run(zql.model.where('id', modelId).one())
  const plan = planOf({ isAnonymous: user?.isAnonymous, subscription: customer?.subscription }, nowMs)
  const reason = sendRefusal(plan, model, usage, nowMs)
  if (reason) throw refuse(reason.code)
}

type Run<Args> = (options: { readonly tx: Tx; readonly args: Args; readonly ctx: Viewer }) => Promise<void>

/**
 * A mutator that may refuse. When another device's write makes an unconfirmed one of ours impossible, the client runs ours again on top
 * of it; a refusal thrown there would stop its whole connection. So a rebase that is refused writes nothing, and the server's own
 * refusal follows. Refusals come before the first write, or this would leave half of one.
 */
const refusable =
  <Args>(run: Run<Args>): Run<Args> =>
  async (options) => {
    try {
      await run(options)
    } catch (error) {
      if (options.tx.reason !== 'rebase' || !(error instanceof ApplicationError)) throw error
    }
  }

export const mutators = defineMutators({
  threads: {
    send: defineMutator(
      sendArgs,
      refusable(async ({ tx, args, ctx }) => {
        const nowMs = timeOf(ctx, args.at)
        if (args.text.trim() === '') throw refuse('message_empty')
        const thread = await findThread(tx, ctx, args.threadId)
        if (thread && thread.deletedAt != null) throw refuse('not_found')
        if (thread && isBusy(thread)) throw refuse('thread_busy')
        await checkTurn(tx, ctx, args.modelId, nowMs)
        if (args.parentId !== null) await mustFindMessage(tx, args.threadId, args.parentId)
        // Inserting it would do nothing, and the turn would answer the message that has this id.
        if (await tx.run(zql.message.where('id', args.messageId).one())) throw refuse('invalid_request')

        const turn = {
          status: 'submitted',
          streamId: args.answerId,
          headId: args.messageId,
          updatedAt: nowMs,
        } as const
        if (thread) await tx.mutate.thread.update({ id: thread.id, ...turn })
        else
          await tx.mutate.thread.insert({
            id: args.threadId,
            userId: ctx.userId,
            createdAt: nowMs,
            ...turn,
          })
        await tx.mutate.message.insert({
          id: args.messageId,
          threadId: args.threadId,
          userId: ctx.userId,
          parentId: args.parentId,
          message: {
            id: args.messageId,
            role: 'user',
            parts: [{ type: 'text', text: args.text }],
          },
          createdAt: nowMs,
          updatedAt: nowMs,
        })
      }),
    ),

    answer: defineMutator(
      answerArgs,
      refusable(async ({ tx, args, ctx }) => {
        const nowMs = timeOf(ctx, args.at)
        const thread = await mustFindThread(tx, ctx, args.threadId)
        if (isBusy(thread)) throw refuse('thread_busy')
        await checkTurn(tx, ctx, args.modelId, nowMs)
        const question = await mustFindMessage(tx, thread.id, args.parentId)
        if (question.message.role !== 'user') throw refuse('invalid_request')
        if (args.continueId !== undefined) {
          const cut = await mustFindMessage(tx, thread.id, args.continueId)
          if (cut.parentId !== question.id || cut.message.role !== 'assistant') throw refuse('invalid_request')
          if (cut.message.metadata.ending === 'completed') throw refuse('invalid_request')
        }
        await tx.mutate.thread.update({
          id: thread.id,
          status: 'submitted',
          streamId: args.answerId,
          headId: question.id,
          updatedAt: nowMs,
        })
      }),
    ),

    /** The thread is ready again only when its generation has ended; until then it says that it is stopping. */
    stop: defineMutator(
      threadArgs,
      refusable(async ({ tx, args, ctx }) => {
        const thread = await mustFindThread(tx, ctx, args.threadId)
        if (thread.status === 'submitted') await tx.mutate.thread.update({ id: thread.id, status: 'stopping' })
      }),
    ),

    rename: defineMutator(
      renameArgs,
      refusable(async ({ tx, args, ctx }) => {
        const title = args.title.trim()
        if (title === '') throw refuse('title_empty')
        const thread = await mustFindThread(tx, ctx, args.threadId)
        await tx.mutate.thread.update({ id: thread.id, title })
      }),
    ),

    delete: defineMutator(
      deleteArgs,
      refusable(async ({ tx, args, ctx }) => {
        const thread = await mustFindThread(tx, ctx, args.threadId)
        await tx.mutate.thread.update({
          id: thread.id,
          deletedAt: timeOf(ctx, args.at),
          ...(isBusy(thread) ? { status: 'stopping' as const } : {}),
        })
      }),
    ),

    /** Undoes a deletion. The browser may hold the row no more; then only the server's write brings it back. */
    restore: defineMutator(
      threadArgs,
      refusable(async ({ tx, args, ctx }) => {
        const thread = await findThread(tx, ctx, args.threadId)
        if (thread) await tx.mutate.thread.update({ id: thread.id, deletedAt: null })
        else if (tx.location === 'server') throw refuse('not_found')
      }),
    ),
  },

  settings: {
    update: defineMutator(
      settingArgs,
      refusable(async ({ tx, args, ctx }) => {
        if (args.pinnedModels?.length === 0) throw refuse('last_pin')
        const setting = await tx.run(zql.setting.where('userId', ctx.userId).one())
        if (!setting) throw refuse('not_found')
        if (args.modelId !== undefined && !(await tx.run(zql.model.where('id', args.modelId).one()))) throw refuse('no_model')
        await tx.mutate.setting.update({ id: setting.id, ...args })
      }),
    ),
  },
})
