/**
 * Replaces the first words of a new thread by the model's title, concurrently with the answer. If it fails, the next turn tries again.
 */

import type { Env } from '../bindings.ts'
import type { ChatMessage } from '../contract/messages.ts'
import type { ModelRequest } from '../contract/model-use.ts'
import { firstQuestion } from '../contract/titles.ts'
import { recordTitle } from '../db/turn-endings.ts'
import { logger } from '../lib/logger.ts'
import { notify } from '../user-sync/rpc.ts'
import type { TitleModel } from './model/providers.ts'
import { newRequest, type ReportedUsage, reportedUse } from './model/usage.ts'
import { later } from './storage.ts'
import { askForTitle, titleDelayMs, titleWaitMs } from './title.ts'
import type { Turn } from './turn-state.ts'

type Titled = Pick<Turn, 'generationId' | 'userId' | 'threadId' | 'title'>

export function findBetterTitle(env: Env, turn: Titled, { model, requested }: TitleModel, history: readonly ChatMessage[]): void {
  const { title: provisional, generationId } = turn
  if (provisional === null) return
  const failed = (error: unknown) => {
    logger.error('title_failed', error, { generationId })
    return null
  }
  const find = async () => {
    const requests: ModelRequest[] = []
    const onUsage = (reported: ReportedUsage) => void requests.push({ ...newRequest(requested), ...reportedUse(reported, requested) })
    const title = await askForTitle(model, firstQuestion(history), AbortSignal.timeout(titleWaitMs), onUsage).catch(failed)
    if (title === null && requests.length === 0) return
    const ownerId = await recordTitle(env, turn, { provisional, title, requests })
    if (ownerId !== null) await notify(env, [ownerId])
  }
  later(titleDelayMs, () => void find().catch(failed))
}
