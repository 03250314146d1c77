/** The arguments of mutators that only the server runs: links, prompts, drafts, memory, approvals and limits of threads. Only the server checks them. */
import * as z from 'zod/mini'
import { idSchema, modelIdSchema, shareIdSchema } from '../ids.ts'
import { isDeeperThan, isRecord } from '../is-record.ts'
import {
  maxApprovalInputChars,
  maxApprovalReasonChars,
  maxInputAnswerChars,
  maxInputAsks,
  maxJsonLevels,
  maxMemoryChars,
  maxNameChars,
  maxPromptChars,
  maxPromptNameChars,
  maxTurnCredits,
} from '../limits.ts'
import { sourceIdsArg, textSchema } from '../mutator-rules.ts'
import { plainNameSchema } from '../names.ts'
import { isBlank } from '../text.ts'
import { shareLifetimes } from './shares.ts'

export const createShareArgs = z.object({
  threadId: idSchema,
  /** The last message of the branch. */
  messageId: idSchema,
  /** Null: the page shows no name. */
  name: z.nullable(plainNameSchema(maxNameChars, 'name_invalid')),
  /** Null: the link does not expire. */
  lifetime: z.nullable(z.enum(shareLifetimes)),
  isListed: z.boolean(),
})
export const revokeShareArgs = z.object({ id: shareIdSchema })

export type CreateShareArgs = z.infer<typeof createShareArgs>
export type RevokeShareArgs = z.infer<typeof revokeShareArgs>

/** Null: no limit for the thread. */
export const turnCreditsArgs = z.object({ threadId: idSchema, credits: z.nullable(z.int().check(z.gte(1), z.lte(maxTurnCredits))) })

export type TurnCreditsArgs = z.infer<typeof turnCreditsArgs>

export const savePromptArgs = z.object({
  id: idSchema,
  name: plainNameSchema(maxPromptNameChars, 'prompt_name'),
  text: z.string().check(
    z.maxLength(maxPromptChars, 'prompt_text'),
    z.refine((text) => !isBlank(text), 'prompt_text'),
  ),
})
export const deletePromptArgs = z.object({ id: idSchema })
export const sharePromptArgs = z.object({ id: idSchema, organizationId: z.nullable(idSchema) })

export type SavePromptArgs = z.infer<typeof savePromptArgs>
export type DeletePromptArgs = z.infer<typeof deletePromptArgs>
export type SharePromptArgs = z.infer<typeof sharePromptArgs>

export const saveDraftArgs = z.object({
  /** Null: the draft of the next new thread. */
  threadId: z.nullable(idSchema),
  text: textSchema,
  /** Id of this write. */
  revision: idSchema,
  /** The last revision that the browser has seen or written. The write is refused if the draft has another one. */
  base: z.nullable(idSchema),
  origins: z.optional(sourceIdsArg),
})

export type SaveDraftArgs = z.infer<typeof saveDraftArgs>

const maxBarredMakers = 50

/** Only the given fields are changed. */
export const saveMemoryArgs = z.object({
  id: idSchema,
  text: z.optional(
    z.string().check(
      z.overwrite((text) => text.toWellFormed().replace(/\s+/gu, ' ').trim()),
      z.maxLength(maxMemoryChars, 'memory_text'),
      z.refine((text) => !isBlank(text), 'memory_text'),
    ),
  ),
  isPinned: z.optional(z.boolean()),
  barredMakers: z.optional(z.array(modelIdSchema).check(z.maxLength(maxBarredMakers))),
})
export const deleteMemoryArgs = z.object({ id: idSchema })

export type SaveMemoryArgs = z.infer<typeof saveMemoryArgs>
export type DeleteMemoryArgs = z.infer<typeof deleteMemoryArgs>
export const decideApprovalArgs = z.object({
  id: idSchema,
  /** Id of the answer that continues, if this decides the last waiting call of the answer. */
  answerId: idSchema,
  /** `thread`: also allows later calls of the tool in this thread. */
  decision: z.enum(['once', 'thread', 'deny']),
  /** The reason for a denial. */
  reason: z.optional(z.string().check(z.maxLength(maxApprovalReasonChars))),
  /** Replaces the input of the call. It was read from JSON. A schema of JSON would fail on one of thousands of levels. */
  input: z.optional(
    z.custom<{ [name: string]: z.infer<ReturnType<typeof z.json>> }>(
      (input) => isRecord(input) && !isDeeperThan(maxJsonLevels, input) && JSON.stringify(input).length <= maxApprovalInputChars,
      'approval_input',
    ),
  ),
  /** The user's answer to the server, for each request of `form`. With `deny` instead, the server learns that the user declines. */
  answers: z.optional(
    z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))).check(
      z.maxLength(maxInputAsks),
      z.refine((answers) => JSON.stringify(answers).length <= maxInputAnswerChars, 'input_answer'),
    ),
  ),
})
export const renewApprovalsArgs = z.object({ threadId: idSchema, messageId: idSchema })
export const revokeGrantArgs = z.object({
  threadId: idSchema,
  sourceId: z.string().check(z.maxLength(100)),
  tool: z.string().check(z.maxLength(200)),
})

export type DecideApprovalArgs = z.infer<typeof decideApprovalArgs>
export type RenewApprovalsArgs = z.infer<typeof renewApprovalsArgs>
export type RevokeGrantArgs = z.infer<typeof revokeGrantArgs>
