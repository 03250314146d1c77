/**
 * The named mutators: argument schemas, and the rules that run on both sides. The browser writes optimistic rows. The server runs the same
 * functions against the replica, and their writes become one D1 batch. A mutator with effects that only the server has, such as opening a turn,
 * has a second definition at the same path in `worker/turns/server-mutators.ts`.
 */

import { defineMutators } from '@rocicorp/zero'
import * as z from 'zod/mini'
import { filesArg, filesOf } from './files/files.ts'
import { idSchema, modelIdSchema } from './ids.ts'
import { languageChoices } from './languages.ts'
import { maxBiographyChars, maxInstructionsChars, maxNicknameChars, maxOwnCreditLimit, maxPinnedModels } from './limits.ts'
import { effortLevels, effortsOf } from './models/effort.ts'
import {
  checkTurn,
  laterExpiry,
  mustFindMessage,
  mustFindThread,
  mustFindVisible,
  mutator,
  refuse,
  sourceIdsArg,
  startTurn,
  type Tx,
  textSchema,
  timeOf,
  titleSchema,
  turnArgs,
} from './mutator-rules.ts'
import { researchPlanOf } from './research/research.ts'
import { researchMutators } from './research/research-mutators.ts'
import { type RowOf, zql } from './schema.ts'
import {
  approvalMutators,
  draftMutators,
  importThreads,
  memoryMutators,
  promptMutators,
  setTurnCredits,
  shareMutators,
} from './server-mutators.ts'
import { isBlank } from './text.ts'
import { modes, themes } from './themes.ts'
import { fork, messageMutators, show } from './threads/branch-mutators.ts'
import { type ComparedAnswer, compareWithArg, isDistinct } from './threads/comparison.ts'
import type { AnswerMessage } from './threads/messages.ts'
import { mustFindModel, organiseMutators, projectMutators, unreadMutators } from './threads/organise-mutators.ts'
import { leavePlan, queueMutators, sendBehindQueue, waitAgain } from './threads/queue-mutators.ts'
import { isBusy } from './threads/thread-status.ts'

/** `parentId`: the preceding message. An edited message is sent with the parent of the message that it replaces. */
const sendArgs = z.object({
  ...turnArgs,
  messageId: idSchema,
  parentId: z.nullable(idSchema),
  text: textSchema,
  files: filesArg,
  /** The thread does not continue with this model. */
  isModelForOnce: z.optional(z.boolean()),
  /** For a thread that this message starts. Later turns use the thread's effort. */
  effort: z.optional(z.enum(effortLevels)),
  /** For a thread that this message starts. Absent: as in its project. */
  offTools: z.optional(sourceIdsArg),
  /** The project of a thread that this message starts. */
  projectId: z.optional(idSchema),
  /** For a thread that this message starts. */
  isTemporary: z.optional(z.boolean()),
  /** Revision of the draft that became this message. The server ends that draft. */
  draft: z.optional(idSchema),
  compareWith: compareWithArg,
  /** The user typed the text (`UserMessage.isTyped`). */
  isTyped: z.optional(z.boolean()),
  /** Where texts in it came from (`UserMessage.origins`). */
  origins: z.optional(sourceIdsArg),
})

/**
 * Answers the question `parentId` again: as a new version, or as a continuation of the interrupted answer `continueId`. `insteadOf`: an answer
 * of the shown comparison, whose place the new answer takes.
 */
const answerArgs = z.object({
  ...turnArgs,
  parentId: idSchema,
  continueId: z.optional(idSchema),
  insteadOf: z.optional(idSchema),
})

/** `answerId`: stops this answer of a comparison alone. */
const stopArgs = z.object({ threadId: idSchema, answerId: z.optional(idSchema) })
const effortArgs = z.object({ threadId: idSchema, modelId: modelIdSchema, effort: z.enum(effortLevels) })
const offToolsArgs = z.object({ threadId: idSchema, offTools: sourceIdsArg })
const renameArgs = z.object({ threadId: idSchema, title: titleSchema })

const creditLimitSchema = z.optional(z.nullable(z.int().check(z.gte(1), z.lte(maxOwnCreditLimit))))

const settingArgs = z.object({
  mode: z.optional(z.enum(modes)),
  theme: z.optional(z.enum(themes)),
  language: z.optional(z.enum(languageChoices)),
  nickname: z.optional(z.string().check(z.maxLength(maxNicknameChars))),
  biography: z.optional(z.string().check(z.maxLength(maxBiographyChars))),
  instructions: z.optional(z.string().check(z.maxLength(maxInstructionsChars))),
  modelId: z.optional(modelIdSchema),
  pinnedModels: z.optional(z.array(z.string().check(z.maxLength(100))).check(z.maxLength(maxPinnedModels))),
  isMemoryOn: z.optional(z.boolean()),
  dailyCreditLimit: creditLimitSchema,
  monthlyCreditLimit: creditLimitSchema,
})

type AnswerArgs = z.infer<typeof answerArgs>
export type SettingArgs = z.infer<typeof settingArgs>

/** Finds the incomplete answer to continue. */
const mustFindIncompleteAnswer = async (tx: Tx, question: RowOf<'message'>, id: string): Promise<AnswerMessage> => {
  const { message, parentId } = await mustFindMessage(tx, question.threadId, id)
  if (parentId !== question.id || message.role !== 'assistant' || message.metadata.ending === 'completed') throw refuse('invalid_request')
  return message
}

/** The comparison with a new answer in the place of an ended one. */
const replaceCompared = async (
  tx: Tx,
  thread: RowOf<'thread'>,
  { parentId, insteadOf, answerId, modelId }: AnswerArgs & { readonly insteadOf: string },
): Promise<readonly ComparedAnswer[]> => {
  const ended = await mustFindMessage(tx, thread.id, insteadOf)
  const compared = (thread.compared ?? []).map((answer) => (answer.id === insteadOf ? { id: answerId, modelId } : answer))
  if (ended.parentId !== parentId || !compared.some(({ id }) => id === answerId) || !isDistinct(compared)) throw refuse('invalid_request')
  return compared
}

/** By the path of the name: `definitions.threads.pin` is `threads.pin`. */
export const definitions = {
  threads: {
    send: mutator({ args: sendArgs }, async ({ tx, args, ctx }) => {
      if (await sendBehindQueue(tx, ctx, { ...args, id: args.messageId })) return
      const thread = await startTurn(tx, ctx, args, timeOf(ctx, args.at))
      // A new thread has no queue.
      if (thread === 'continued') await leavePlan(tx, args.threadId)
    }),

    answer: mutator({ args: answerArgs }, async ({ tx, args, ctx }) => {
      const nowMs = timeOf(ctx, args.at)
      const thread = await mustFindThread(tx, ctx, args.threadId)
      const { insteadOf } = args
      // Research cannot be compared.
      if (insteadOf !== undefined && args.mode === 'research') throw refuse('invalid_request')
      const compared = insteadOf === undefined ? null : await replaceCompared(tx, thread, { ...args, insteadOf })
      // Other answers of the comparison may be running.
      const isRunning = compared !== null && thread.status === 'submitted'
      if (isBusy(thread) && !isRunning) throw refuse('thread_busy')
      const question = await mustFindVisible(tx, thread, args.parentId)
      const incomplete = args.continueId === undefined ? null : await mustFindIncompleteAnswer(tx, question, args.continueId)
      // A continuation without a plan would create a plan, and plans are free. Planning has a limit of its own and continues no answer.
      if (incomplete !== null && args.mode === 'research' && researchPlanOf(incomplete.parts) === null) throw refuse('invalid_request')
      const { modelId, mode } = args
      const paid = mode === 'research' ? incomplete?.metadata.paid : undefined
      await checkTurn(tx, ctx, { modelId, mode, files: filesOf(question.message), paid, continued: incomplete?.parts }, nowMs)
      if (question.message.role !== 'user') throw refuse('invalid_request')
      await waitAgain(tx, thread, question.id)
      await tx.mutate.thread.update({
        id: thread.id,
        status: 'submitted',
        streamId: args.answerId,
        headId: question.id,
        updatedAt: nowMs,
        unreadAt: null,
        compared,
        ...laterExpiry(thread, nowMs),
      })
    }),

    /** The thread stays `stopping` until the generation has ended. */
    stop: mutator({ args: stopArgs, reduces: true }, async ({ tx, args: { threadId, answerId }, ctx }) => {
      const { id, status, compared } = await mustFindThread(tx, ctx, threadId)
      if (status !== 'submitted') return
      if (answerId === undefined) await tx.mutate.thread.update({ id, status: 'stopping' })
      else if (compared)
        await tx.mutate.thread.update({
          id,
          compared: compared.map((answer) => (answer.id === answerId ? { ...answer, isStopping: true } : answer)),
        })
    }),

    rename: mutator({ args: renameArgs }, async ({ tx, args, ctx }) => {
      if (isBlank(args.title)) throw refuse('title_empty')
      const thread = await mustFindThread(tx, ctx, args.threadId)
      await tx.mutate.thread.update({ id: thread.id, title: args.title.trim() })
    }),

    /** Applies to every later turn of the thread. The model for which it was chosen must offer the level. */
    setEffort: mutator({ args: effortArgs }, async ({ tx, args, ctx }) => {
      const thread = await mustFindThread(tx, ctx, args.threadId)
      const model = await tx.run(zql.model.where('id', args.modelId).one())
      if (!model || !effortsOf(model).includes(args.effort)) throw refuse('invalid_request')
      await tx.mutate.thread.update({ id: thread.id, effort: args.effort })
    }),

    /** Switches the other sources of tools on, for every later turn of the thread. */
    setOffTools: mutator({ args: offToolsArgs }, async ({ tx, args, ctx }) => {
      const thread = await mustFindThread(tx, ctx, args.threadId)
      await tx.mutate.thread.update({ id: thread.id, offTools: args.offTools })
    }),
    ...organiseMutators,
    ...unreadMutators,
    show,
    fork,
    import: importThreads,
    setTurnCredits,
  },

  projects: projectMutators,
  prompts: promptMutators,
  drafts: draftMutators,
  memories: memoryMutators,
  approvals: approvalMutators,
  shares: shareMutators,
  messages: messageMutators,
  queue: queueMutators,
  research: researchMutators,

  settings: {
    update: mutator({ args: settingArgs }, async ({ tx, args, ctx }) => {
      if (args.pinnedModels?.length === 0) throw refuse('last_pin')
      const setting = await tx.run(zql.setting.where('userId', ctx.userId).one())
      if (!setting) throw refuse('not_found')
      await mustFindModel(tx, args.modelId)
      await tx.mutate.setting.update({ id: setting.id, ...args })
    }),
  },
}

export const mutators = defineMutators(definitions)
