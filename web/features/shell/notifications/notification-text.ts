/** The text of a notification: the thread's title, and how its answer ended. */
import { titleOf } from '../../../../worker/contract/display-names.ts'
import type { AnswerMessage } from '../../../../worker/contract/messages.ts'
import { isWaitingPlan } from '../../../../worker/contract/research.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import type { ThreadRow } from '../../../sync/rows.ts'
import { t } from '../texts/en.ts'

export type NotificationText = { readonly title: string; readonly body: string }

/** `answer`: null if this browser does not have it yet. It then counts as completed, as most answers are. */
export const notificationOf = (thread: Pick<ThreadRow, 'title'>, answer: AnswerMessage | null): NotificationText => ({
  title: titleOf(thread, firstPaintText),
  body: bodyOf(answer),
})

function bodyOf(answer: AnswerMessage | null): string {
  if (answer && answer.metadata.ending !== 'completed') return t('answerCut')
  return t(answer && isWaitingPlan(answer.parts) ? 'planReady' : 'answerReady')
}
