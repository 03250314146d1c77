/**
 * A comparison: several models answer one question. Each answer is a separate turn, and the answers are versions of each other. The thread
 * lists them until the user shows one of them or sends the next message. Pure.
 */
import * as z from 'zod/mini'
import { idSchema, modelIdSchema } from '../ids.ts'
import { maxComparedModels } from '../limits.ts'

const otherAnswer = z.object({ answerId: idSchema, modelId: modelIdSchema })

/** Argument of a message: the answers of the other models. */
export const compareWithArg = z.optional(z.array(otherAnswer).check(z.minLength(1), z.maxLength(maxComparedModels - 1)))

export type OtherAnswer = z.infer<typeof otherAnswer>

/** `id`: of the answer, and of its turn while it is running. `isStopping`: the user stopped only this answer. */
export type ComparedAnswer = { readonly id: string; readonly modelId: string; readonly isStopping?: true }

/** The answers that a message requests. */
export type AnswerRequest = {
  readonly answerId: string
  readonly modelId: string
  readonly compareWith?: readonly OtherAnswer[] | null | undefined
}

/** The answers of a message, in the order of the screen. */
export const answersOf = ({ answerId, modelId, compareWith }: AnswerRequest): readonly ComparedAnswer[] =>
  [{ answerId, modelId }, ...(compareWith ?? [])].map((answer) => ({ id: answer.answerId, modelId: answer.modelId }))

/** Null if one model answers. */
export const comparedAnswers = (request: AnswerRequest): readonly ComparedAnswer[] | null =>
  request.compareWith?.length ? answersOf(request) : null

/** True if all models and all answers are different. */
export const isDistinct = (answers: readonly ComparedAnswer[]): boolean =>
  (['id', 'modelId'] as const).every((key) => new Set(answers.map((answer) => answer[key])).size === answers.length)

type Thread = { readonly streamId?: string | null | undefined; readonly compared?: readonly ComparedAnswer[] | null | undefined }

/** True if the thread waits for this answer or lists it in its comparison. */
export const namesAnswer = ({ streamId, compared }: Thread, answerId: string): boolean =>
  streamId === answerId || compared?.some(({ id }) => id === answerId) === true
